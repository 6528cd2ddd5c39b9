"""Taskwarrior and its server.

Tasks are put into the client's own files and not through `task import`, which looks at every task for
each that comes: what is measured is `task sync` alone.
"""

import json
import os

from harness import free_port

FIELDS = ("uuid", "description", "body", "state")
ENTRY = 1735689600  # 2025-01-01


def task(r, **more):
    return {
        "body": r["body"], "description": r["title"], "entry": "20250101T000000Z",
        "state": r["state"], "status": "pending", "uuid": r["id"]} | more


def stored(t):
    """A line of pending.data; no text of ours has anything to escape."""
    shown = t | {"entry": ENTRY} | ({"end": ENTRY} if "end" in t else {})
    return "[" + " ".join(f'{k}:"{v}"' for k, v in sorted(shown.items())) + "]\n"


class Taskwarrior:
    name = "Taskwarrior and taskd"
    carries, remark = "records", "both ways, over TLS"
    needs = ("task", "taskd", "certtool")

    def __init__(self, site):
        self.site = site
        self.port = free_port()
        pki, data = site.path("pki"), site.path("taskd")
        pki.mkdir()
        data.mkdir()
        template = pki / "template"
        template.write_text(
            'cn = "localhost"\norganization = "bench"\nexpiration_days = 30\nca\nsigning_key\n'
            "encryption_key\ncert_signing_key\ntls_www_client\ntls_www_server\n"
            'dns_name = "localhost"\n')
        key, certificate = pki / "key.pem", pki / "certificate.pem"
        site.run("certtool", "--generate-privkey", "--ecc", "--outfile", key)
        site.run(
            "certtool", "--generate-self-signed", "--load-privkey", key, "--template", template,
            "--outfile", certificate)
        env = os.environ | {"TASKDDATA": str(data)}
        site.run("taskd", "init", env=env)
        for name, value in {
            "client.cert": certificate, "client.key": key, "server.cert": certificate,
            "server.key": key, "ca.cert": certificate, "server": f"localhost:{self.port}",
            "log": "/dev/null", "pid.file": site.path("taskd.pid"), "family": "IPv4",
            "request.limit": 0, "ip.log": "off", "trust": "allow all",
        }.items():
            site.run("taskd", "config", "--force", name, value, env=env)
        site.run("taskd", "add", "org", "bench", env=env)
        said = site.run("taskd", "add", "user", "bench", "me", env=env)
        user = said.split("New user key:")[1].split()[0]
        site.serve("taskd", "server", env=env, port=self.port)
        self.data = data
        self.env = self.client("here", key, certificate, user)
        self.tasks = {}
        self.is_new = True

    def client(self, name, key, certificate, user):
        folder = self.site.path(name)
        folder.mkdir()
        rc = folder / "taskrc"
        rc.write_text(
            f"data.location={folder}\nconfirmation=off\nverbose=nothing\nhooks=off\ngc=on\n"
            "uda.body.type=string\nuda.body.label=Body\nuda.state.type=string\nuda.state.label=State\n"
            "recurrence=off\njson.array=on\nbulk=0\n"
            f"taskd.server=localhost:{self.port}\ntaskd.key={key}\ntaskd.certificate={certificate}\n"
            f"taskd.ca={certificate}\ntaskd.credentials=bench/me/{user}\n")
        return os.environ | {"TASKRC": str(rc), "HOME": str(folder)}

    def load(self, records):
        self.tasks |= {i: task(r) for i, r in records.items()}
        with open(self.site.path("here") / "pending.data", "w") as pending:
            pending.writelines(stored(t) for t in self.tasks.values())

    def change(self, delta):
        changed = {i: task(r) for i, r in (delta.edited | delta.added).items()}
        changed |= {
            i: self.tasks[i] | {"status": "deleted", "end": "20250101T000000Z"}
            for i in delta.deleted}
        self.tasks |= changed
        self.load({})
        with open(self.site.path("here") / "backlog.data", "a") as backlog:
            backlog.writelines(json.dumps(t, ensure_ascii=False) + "\n" for t in changed.values())

    def sync(self):
        words = ["task", "sync"] + (["init"] if self.is_new else [])
        self.is_new = False
        # 1: there was nothing to do.
        return self.site.measure(*words, env=self.env, accepts=(0, 1))

    def read_back(self):
        """From the server's own file: the newest line of a task holds."""
        found = {}
        (path,) = (self.data / "orgs" / "bench" / "users").glob("*/tx.data")
        for line in path.read_text().splitlines():
            if line.startswith("{"):
                t = json.loads(line)
                found[t["uuid"]] = t
        return {
            i: {k: t.get(k) for k in FIELDS}
            for i, t in found.items() if t["status"] != "deleted"}

    def expected(self, records):
        return {i: {k: task(r)[k] for k in FIELDS} for i, r in records.items()}
