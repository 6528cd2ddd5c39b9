"""Peers that carry records of a database, and syncd itself."""

import http.client
import json
import pathlib
import re
import sqlite3
import sys

from harness import free_port
from workload import line

COLUMNS = "id, title, body, state, created_at"


def row(r):
    return (r["id"], r["title"], r["body"], r["state"], r["createdAt"])


class Syncd:
    name = "syncd"
    carries, remark = "records", "one way as it comes"
    needs = ()

    def __init__(self, site):
        self.site = site
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}/v1/projects"
        self.store = site.path("projects.db")
        self.config = site.path("config.json5")
        site.serve(
            site.tools["syncd"], "serve", "--listen", f"127.0.0.1:{self.port}", "--store",
            site.path("server.db"), port=self.port)
        words = ["--config", self.config, "--store", self.store, "--remote", self.url]
        site.run(site.tools["syncd"], "init", *words)
        self.config.write_text(
            f'{{ store: "{self.store}", remote: {{ url: "{self.url}", dialect: "syncd" }} }}\n')

    def load(self, records):
        with sqlite3.connect(self.store) as store:
            store.executemany(
                "INSERT INTO projects(id, title, body, state) VALUES(?, ?, ?, ?)",
                (row(r)[:4] for r in records.values()))
        store.close()

    def change(self, delta):
        with sqlite3.connect(self.store) as store:
            store.executemany(
                "UPDATE projects SET title = ? WHERE id = ?",
                ((r["title"], i) for i, r in delta.edited.items()))
            store.executemany("DELETE FROM projects WHERE id = ?", ((i,) for i in delta.deleted))
        store.close()
        self.load(delta.added)

    def sync(self):
        return self.site.measure(
            self.site.tools["syncd"], "once", "--quiet", "--config", self.config)

    def read_back(self):
        found, path = {}, "/v1/projects?limit=10000"
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        while path:
            connection.request("GET", path)
            answer = connection.getresponse()
            for r in json.loads(answer.read()):
                found[r["id"]] = {k: r[k] for k in ("id", "title", "body", "state")}
            link = answer.getheader("Link") or ""
            path = link[link.find("<") + 1 : link.find(">")] if 'rel="next"' in link else None
        connection.close()
        return found

    def expected(self, records):
        return {i: {k: r[k] for k in ("id", "title", "body", "state")} for i, r in records.items()}


class SQLiteRsync:
    name = "sqlite3_rsync"
    carries, remark = "pages", "of a database, one way, through a pipe"
    needs = ("sqlite3_rsync",)

    def __init__(self, site):
        self.site = site
        self.here, self.there = site.path("here.db"), site.path("there.db")
        with sqlite3.connect(self.here) as db:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute(f"CREATE TABLE projects(id TEXT PRIMARY KEY, {COLUMNS[4:]})")
        db.close()

    def load(self, records):
        with sqlite3.connect(self.here) as db:
            db.executemany(
                "INSERT INTO projects VALUES(?, ?, ?, ?, ?)", (row(r) for r in records.values()))
        db.close()

    def change(self, delta):
        with sqlite3.connect(self.here) as db:
            db.executemany(
                "UPDATE projects SET title = ? WHERE id = ?",
                ((r["title"], i) for i, r in delta.edited.items()))
            db.executemany("DELETE FROM projects WHERE id = ?", ((i,) for i in delta.deleted))
        db.close()
        self.load(delta.added)

    def sync(self):
        tool = self.site.tools["sqlite3_rsync"]
        took = self.site.measure(tool, self.here, self.there, "--exe", tool)
        took["bytes"] = None
        return took

    def read_back(self):
        db = sqlite3.connect(self.there)
        found = {
            r[0]: dict(zip(("id", "title", "body", "state", "createdAt"), r))
            for r in db.execute(f"SELECT {COLUMNS} FROM projects")}
        db.close()
        return found


class Kinto:
    name = "Kinto"
    carries = "records"
    remark = "batches of 25, kept in memory only; the client is a short one of ours (Python)"
    needs = ("kinto",)

    def __init__(self, site):
        self.site = site
        self.port = free_port()
        self.store = site.path("here.db")
        config = site.path("kinto.ini")
        site.run(
            site.tools["kinto"], "init", "--ini", config, "--backend", "memory", "--cache-backend",
            "memory", "--host", "127.0.0.1")
        text = config.read_text().replace("port = 8888", f"port = {self.port}")
        ours = {
            "bucket_create_principals": "system.Everyone",
            "bucket_write_principals": "system.Everyone",
            "paginate_by": "10000",
        }
        kept = [l for l in text.splitlines() if not re.match(rf"kinto\.({'|'.join(ours)})\b", l)]
        ours = "".join(f"kinto.{k} = {v}\n" for k, v in ours.items())
        config.write_text("\n".join(kept).replace("[app:main]", f"[app:main]\n{ours}", 1) + "\n")
        site.serve(
            site.tools["kinto"], "start", "--ini", config, "--port", self.port, port=self.port)
        self.client = [sys.executable, pathlib.Path(__file__).with_name("kinto_client.py")]
        site.run(*self.client, "init", self.store, self.port)

    def load(self, records):
        with sqlite3.connect(self.store) as db:
            db.executemany(
                "INSERT OR REPLACE INTO records VALUES(?, ?, 1, 0)",
                ((i, line(r)) for i, r in records.items()))
        db.close()

    def change(self, delta):
        self.load(delta.edited | delta.added)
        with sqlite3.connect(self.store) as db:
            db.executemany(
                "UPDATE records SET changed = 1, deleted = 1 WHERE id = ?",
                ((i,) for i in delta.deleted))
        db.close()

    def sync(self):
        return self.site.measure(*self.client, "sync", self.store, self.port)

    def read_back(self):
        return json.loads(self.site.run(*self.client, "list", self.store, self.port))
