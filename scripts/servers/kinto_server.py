"""A Kinto in memory on a free port of loopback. It ends with whoever started it."""

import os
import signal
import threading
import time

import kinto
import waitress

SETTINGS = {
    "kinto.userid_hmac_secret": "a test",
    "kinto.storage_backend": "kinto.core.storage.memory",
    "kinto.cache_backend": "kinto.core.cache.memory",
    "kinto.permission_backend": "kinto.core.permission.memory",
    "kinto.includes": "kinto.plugins.accounts",
    "multiauth.policies": "account",
    "multiauth.policy.account.use":
        "kinto.plugins.accounts.authentication.AccountsAuthenticationPolicy",
    "kinto.account_create_principals": "system.Everyone",
    "kinto.bucket_create_principals": "system.Authenticated",
    "kinto.batch_max_requests": os.environ.get("BATCH_MAX", "25"),
}
if "PAGINATE_BY" in os.environ:
    SETTINGS["kinto.paginate_by"] = os.environ["PAGINATE_BY"]

parent = os.getppid()


def watch():
    end = time.monotonic() + float(os.environ.get("LIFETIME", "1800"))
    while os.getppid() == parent and time.monotonic() < end:
        time.sleep(0.5)
    os._exit(0)


threading.Thread(target=watch, daemon=True).start()
signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
app = kinto.main({}, **SETTINGS)
server = waitress.create_server(app, host="127.0.0.1", port=0, threads=4, backlog=256)
print(f"URL http://127.0.0.1:{server.effective_port}/v1", flush=True)
server.run()
