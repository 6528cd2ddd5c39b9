"""The records that every peer carries: 300 bytes of JSON each, the same on every machine."""

import json
import random
import uuid

WORDS = (
    "survey the north field before rain order cable and tape call workshop about pump draft "
    "report café check valve seals plan"
).split()


def record(n):
    bits = random.Random(n)

    def phrase(count):
        return " ".join(bits.choice(WORDS) for _ in range(count))

    stamp = f"2025-{1 + n // 2_592_000 % 12:02}-{1 + n // 86_400 % 28:02}T{n // 3600 % 24:02}:{n // 60 % 60:02}:{n % 60:02}"
    return {
        "id": str(uuid.UUID(int=(0x0193 << 112) + (n << 80) + bits.getrandbits(60), version=4)),
        "title": f"Project {n}: {phrase(3)}",
        "body": phrase(16),
        "state": ("todo", "doing", "done")[n % 3],
        "createdAt": stamp + ".000000Z",
    }


def make(count):
    return {r["id"]: r for r in (record(n) for n in range(count))}


class Delta:
    """1 % edited, 0.5 % added, 0.5 % deleted; another round takes others."""

    def __init__(self, records, count, turn):
        ids = sorted(records)
        share = max(1, count // 200)
        picked = random.Random(turn).sample(ids, 3 * share)
        self.edited = {i: records[i] | {"title": records[i]["title"] + "*"} for i in picked[: 2 * share]}
        self.deleted = picked[2 * share :]
        added = (record(count * (turn + 2) + n) for n in range(share))
        self.added = {r["id"]: r for r in added}

    def apply(self, records):
        kept = {i: r for i, r in records.items() if i not in set(self.deleted)}
        return kept | self.edited | self.added


def line(record):
    return json.dumps(record, ensure_ascii=False)
