"""Taskwarrior and its server."""

import json
import os

from harness import free_port

FIELDS = ("uuid", "description", "body", "state")


def task(r):
    return {
        "uuid": r["id"], "description": r["title"], "body": r["body"], "state": r["state"],
        "status": "pending", "entry": "20250101T000000Z"}


class Taskwarrior:
    name = "Taskwarrior and taskd"
    remark = "records, both ways, over TLS"
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
        self.environments = [
            self.client(name, key, certificate, user) for name in ("here", "elsewhere")]
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
        path = self.site.path("import.json")
        path.write_text(json.dumps([task(r) for r in records.values()]))
        self.site.run("task", "import", path, env=self.environments[0])

    def change(self, delta):
        path = self.site.path("import.json")
        ended = {"status": "deleted", "end": "20250601T000000Z"}
        gone = [{"uuid": i, "description": "gone", "entry": "20250101T000000Z"} | ended for i in delta.deleted]
        changed = [task(r) for r in (delta.edited | delta.added).values()]
        path.write_text(json.dumps(changed + gone))
        self.site.run("task", "import", path, env=self.environments[0])

    def sync(self):
        words = ["task", "sync"] + (["init"] if self.is_new else [])
        self.is_new = False
        # 1: there was nothing to do.
        return self.site.measure(*words, env=self.environments[0], accepts=(0, 1))

    def read_back(self):
        """By a second client, which receives everything."""
        env = self.environments[1]
        self.site.run("task", "sync", env=env)
        tasks = json.loads(self.site.run("task", "status:pending", "export", env=env))
        return {t["uuid"]: {k: t.get(k) for k in FIELDS} for t in tasks}

    def expected(self, records):
        return {i: {k: task(r)[k] for k in FIELDS} for i, r in records.items()}
