"""Peers that carry files: one file a record, in one folder."""

import json
import os

from harness import free_port
from workload import line


class FilePeer:
    """A folder here, a folder there, and a program that makes the second like the first."""

    def __init__(self, site):
        self.site = site
        self.here = site.path("here")
        self.there = site.path("there")
        self.here.mkdir()
        self.there.mkdir()
        self.port = free_port()
        self.start()

    def load(self, records):
        for i, r in records.items():
            (self.here / f"{i}.json").write_text(line(r))

    def change(self, delta):
        for i, r in (delta.edited | delta.added).items():
            (self.here / f"{i}.json").write_text(line(r))
        for i in delta.deleted:
            (self.here / f"{i}.json").unlink()

    def read_back(self):
        found = {}
        for entry in os.scandir(self.there):
            if entry.name.endswith(".json"):
                with open(entry.path) as f:
                    found[entry.name[:-5]] = json.load(f)
        return found


class Rsync(FilePeer):
    name = "rsync daemon"
    carries, remark = "files", "one way"
    needs = ("rsync",)

    def start(self):
        config = self.site.path("rsyncd.conf")
        config.write_text(
            f"use chroot = no\nlog file = /dev/null\nport = {self.port}\naddress = 127.0.0.1\n"
            f"pid file = {self.site.path('rsyncd.pid')}\nreverse lookup = no\n"
            f"[there]\npath = {self.there}\nread only = no\nuid = {os.getuid()}\ngid = {os.getgid()}\n")
        self.site.serve(
            "rsync", "--daemon", "--no-detach", f"--config={config}", port=self.port)

    def sync(self):
        return self.site.measure(
            "rsync", "-a", "--delete", f"{self.here}/", f"rsync://127.0.0.1:{self.port}/there/")


class Unison(FilePeer):
    name = "Unison"
    carries, remark = "files", "both ways"
    needs = ("unison",)

    def start(self):
        self.env = os.environ | {
            "UNISON": str(self.site.path("unison-here")), "HOME": str(self.site.folder)}
        there = self.env | {"UNISON": str(self.site.path("unison-there"))}
        self.site.serve("unison", "-socket", self.port, "-ui", "text", port=self.port, env=there)

    def sync(self):
        took = self.site.measure(
            "unison", self.here, f"socket://127.0.0.1:{self.port}/{self.there}", "-ui", "text",
            "-batch", "-auto", "-silent", "-confirmbigdel=false", env=self.env)
        return took


class Rclone(FilePeer):
    name = "rclone to WebDAV"
    carries, remark = "files", "one way; 16 at once, no pauses between calls"
    needs = ("rclone",)

    def start(self):
        self.env = os.environ | {"RCLONE_CONFIG": str(self.site.path("rclone.conf"))}
        self.site.path("rclone.conf").write_text("")
        self.site.serve(
            self.site.tools["rclone"], "serve", "webdav", self.there, "--addr",
            f"127.0.0.1:{self.port}", port=self.port, env=self.env)

    def sync(self):
        return self.site.measure(
            self.site.tools["rclone"], "sync", self.here, ":webdav:", "--webdav-url",
            f"http://127.0.0.1:{self.port}", "--webdav-vendor", "rclone",
            "--webdav-pacer-min-sleep", "0", "--transfers", "16", "--checkers", "16", "--quiet", env=self.env)
