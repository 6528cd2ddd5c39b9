"""Runs programs within a time limit, and measures them with the bench's own clock."""

import json
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time


class Failed(Exception):
    """Why a peer could not do the work; the message is for whoever reads the table."""


class Site:
    """A fresh folder, and the servers that run in it."""

    def __init__(self, tools, limit):
        self.tools = tools
        self.limit = limit
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="syncd-peers."))
        self.servers = []

    def path(self, name):
        return self.folder / name

    def run(self, *words, env=None, limit=None):
        """Runs something that is not measured."""
        limit = limit or self.limit
        try:
            done = subprocess.run(
                [str(w) for w in words], capture_output=True, timeout=limit, env=env,
                stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            raise Failed(f"{pathlib.Path(str(words[0])).name} took more than {limit} s")
        if done.returncode:
            said = (done.stdout + done.stderr).decode(errors="replace").strip()
            raise Failed(f"{pathlib.Path(str(words[0])).name}: exit {done.returncode}: {said[-300:]}")
        return done.stdout.decode()

    def measure(self, *words, env=None, accepts=(0,)):
        """Runs a command and gives what it took: wall, cpu in seconds, peak, bytes."""
        before = bytes_on_loopback()
        output = self.path("output")
        said = self.run(
            self.tools["bench"], "time", self.limit, output, *words, env=env,
            limit=self.limit + 30)
        took = json.loads(said)
        if took["status"] == 124:
            raise Failed(f"more than {self.limit} s")
        if took["status"] not in accepts:
            raise Failed(f"exit {took['status']}: {output.read_text(errors='replace')[-300:]}")
        after = bytes_on_loopback()
        took["bytes"] = after - before if after is not None else None
        return took

    def serve(self, *words, port=None, env=None, cwd=None):
        """Starts a server, and waits until it listens."""
        log = open(self.path(f"server-{len(self.servers)}.log"), "wb")
        process = subprocess.Popen(
            [str(w) for w in words], stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=env, cwd=cwd)
        self.servers.append(process)
        deadline = time.monotonic() + 30
        while port and time.monotonic() < deadline:
            if process.poll() is not None:
                raise Failed(f"{words[0]} ended: {pathlib.Path(log.name).read_text(errors='replace')[-300:]}")
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                return process
            except OSError:
                time.sleep(0.05)
        if port:
            raise Failed(f"{words[0]} does not listen")
        return process

    def close(self):
        for process in self.servers:
            process.send_signal(signal.SIGTERM)
        for process in self.servers:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def is_alone():
    """Whether this is a network namespace of our own, whose traffic is the peers' alone."""
    lines = pathlib.Path("/proc/net/dev").read_text().splitlines()[2:]
    return all(l.split(":")[0].strip() in ("lo", "sit0", "tunl0") for l in lines)


def bytes_on_loopback():
    """Bytes that crossed the loopback interface so far, with TCP's and IP's own."""
    if not is_alone():
        return None
    for l in pathlib.Path("/proc/net/dev").read_text().splitlines():
        if l.strip().startswith("lo:"):
            return int(l.split(":")[1].split()[0])
    return None
