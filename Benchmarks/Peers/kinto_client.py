"""kinto_client.py init|sync|list STORE PORT: a client of Kinto that does what the work asks."""

import http.client
import json
import sqlite3
import sys

HEADERS = {"Content-Type": "application/json", "Authorization": "Basic YmVuY2g6YmVuY2g="}
RECORDS = "/buckets/bench/collections/projects/records"


def ask(connection, method, path, body=None, headers={}):
    connection.request(
        method, "/v1" + path, json.dumps(body) if body is not None else None, HEADERS | headers)
    answer = connection.getresponse()
    text = answer.read()
    if answer.status >= 400:
        sys.exit(f"{method} {path}: {answer.status} {text[:200]}")
    return answer, json.loads(text) if text else None


def pages(connection, query):
    path = RECORDS + "?" + query
    while path:
        answer, body = ask(connection, "GET", path)
        yield answer, body
        following = answer.getheader("Next-Page")
        path = following[following.index("/v1") + 3 :] if following else None


def sync(connection, db):
    since = db.execute("SELECT value FROM state").fetchone()[0]
    headers = {"If-None-Match": f'"{since}"'} if since else {}
    query = f"_since={since}&_limit=10000" if since else "_limit=10000"
    answer, body = ask(connection, "GET", f"{RECORDS}?{query}", headers=headers)
    for r in body["data"] if body else []:
        if not r.get("deleted"):
            db.execute("INSERT OR IGNORE INTO records VALUES(?, ?, 0, 0)", (r["id"], json.dumps(r)))
    changed = db.execute("SELECT id, json, deleted FROM records WHERE changed").fetchall()
    for start in range(0, len(changed), 25):
        requests = [
            {"method": "DELETE", "path": f"{RECORDS}/{i}"} if deleted
            else {"method": "PUT", "path": f"{RECORDS}/{i}", "body": {"data": json.loads(text)}}
            for i, text, deleted in changed[start : start + 25]]
        _, body = ask(connection, "POST", "/batch", {"requests": requests})
        for r in body["responses"]:
            if r["status"] >= 300:
                sys.exit(str(r))
    db.execute("DELETE FROM records WHERE deleted")
    db.execute("UPDATE records SET changed = 0 WHERE changed")
    if changed:
        answer, _ = ask(connection, "HEAD", RECORDS)
    db.execute("UPDATE state SET value = ?", (answer.getheader("ETag").strip('"'),))
    db.commit()


def main():
    what, store, port = sys.argv[1:]
    db = sqlite3.connect(store)
    connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=60)
    if what == "init":
        db.execute("CREATE TABLE records(id TEXT PRIMARY KEY, json TEXT, changed INT, deleted INT)")
        db.execute("CREATE INDEX changed ON records(changed) WHERE changed")
        db.execute("CREATE TABLE state(value TEXT)")
        db.execute("INSERT INTO state VALUES('')")
        db.commit()
        ask(connection, "PUT", "/buckets/bench", {})
        ask(connection, "PUT", "/buckets/bench/collections/projects", {})
    elif what == "sync":
        sync(connection, db)
    else:
        found = {}
        for _, body in pages(connection, "_limit=10000"):
            for r in body["data"]:
                del r["last_modified"]
                found[r["id"]] = r
        print(json.dumps(found))


main()
