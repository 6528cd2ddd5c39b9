"""Runs the peers side by side with syncd on the same work, and writes what they took.

run.py --syncd FILE --bench FILE --venv FOLDER [--sizes N,…] [--repeat N] [--only NAME,…]
       [--limit SECONDS] [--write PAGE]
"""

import argparse
import csv
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

from databases import Kinto, SQLiteRsync, Syncd
from files import Rclone, Rsync, Unison
from harness import Failed, Site, is_alone
from taskwarrior import Taskwarrior
from workload import Delta, make

PEERS = [Syncd, SQLiteRsync, Taskwarrior, Rsync, Unison, Rclone, Kinto]
WORKS = ("first", "nothing", "delta")
BEGIN, END = "<!-- begin: make bench-peers -->", "<!-- end: make bench-peers -->"


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--syncd", required=True)
    parser.add_argument("--bench", required=True)
    parser.add_argument("--venv", required=True)
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", default="")
    parser.add_argument("--limit", type=int, default=120, help="seconds for one command")
    parser.add_argument("--write", metavar="PAGE")
    return parser.parse_args()


def find_tools(options):
    """The programs by name; those that are not there are left out."""
    tools = {"syncd": options.syncd, "bench": options.bench}
    venv = pathlib.Path(options.venv).absolute() / "bin"
    for name in ("kinto", "rclone"):
        if (venv / name).exists():
            tools[name] = str(venv / name)
    asked = subprocess.run(
        [venv / "python", "-m", "apsw.sqlite_extra", "--path", "sqlite3_rsync"],
        capture_output=True, text=True)
    if asked.returncode == 0:
        tools["sqlite3_rsync"] = asked.stdout.strip()
    for name in ("rsync", "unison", "task", "taskd", "certtool"):
        if shutil.which(name):
            tools[name] = name
    return tools


def check(peer, records, what):
    """Reads the remote back: it must hold these records and no others."""
    expected = peer.expected(records) if hasattr(peer, "expected") else records
    found = peer.read_back()
    if found != expected:
        differing = [i for i in expected.keys() & found.keys() if expected[i] != found[i]]
        raise Failed(
            f"after {what}: {len(expected.keys() - found.keys())} records missing, "
            f"{len(found.keys() - expected.keys())} too many, {len(differing)} differ")


def live(kind, tools, count, options, took):
    """One life: a first sync, nothing to do, a delta; the last two as often as is left to do."""
    site = Site(tools, options.limit)
    try:
        peer = kind(site)
        records = make(count)
        peer.load(records)
        took["first"].append(peer.sync())
        check(peer, records, "the first sync")
        for turn in range(options.repeat - len(took["nothing"])):
            took["nothing"].append(peer.sync())
            check(peer, records, "a run with nothing to do")
            delta = Delta(records, count, turn)
            time.sleep(1.1)  # files are told apart by stamps of whole seconds
            peer.change(delta)
            records = delta.apply(records)
            took["delta"].append(peer.sync())
            check(peer, records, "the delta")
    finally:
        site.close()


def measure(kind, tools, count, options):
    took = {work: [] for work in WORKS}
    lives = options.repeat if count <= 10_000 else 1
    for number in range(lives):
        live(kind, tools, count, options, took)
        # What takes long is not run again and again.
        if took["first"][0]["wall"] > 20:
            break
    figures = {}
    for work in WORKS:
        chosen = took[work]
        sent = [t["bytes"] for t in chosen if t["bytes"] is not None]
        figures[work] = {
            "seconds": statistics.median(t["wall"] for t in chosen),
            "cpu": statistics.median(t["cpu"] for t in chosen),
            "peak": statistics.median(t["peak"] for t in chosen),
            "bytes": statistics.median(sent) if sent else None,
        }
    return figures


def main():
    options = arguments()
    if os.getuid() == 0 and not is_alone() and shutil.which("unshare"):
        # In a namespace of its own, the loopback interface counts the peers' bytes alone.
        script = 'ip link set lo up && exec "$@"'
        os.execvp("unshare", ["unshare", "--net", "sh", "-c", script, "sh", sys.executable] + sys.argv)
    tools = find_tools(options)
    results, missing = {}, {}
    wanted = [n.lower() for n in options.only.split(",") if n]
    for count in sorted(int(s) for s in options.sizes.split(",")):
        for kind in PEERS:
            if wanted and not any(kind.name.lower().startswith(n) for n in wanted):
                continue
            lacks = [n for n in kind.needs if n not in tools]
            if lacks:
                missing[kind.name] = f"{', '.join(lacks)} could not be installed"
                continue
            before = results.get((kind.name, count // 10))
            if count > 10_000 and (before is None or before["first"]["seconds"] * 10 > options.limit):
                missing[f"{kind.name} at {count:,}"] = f"would take more than {options.limit} s"
                continue
            print(f"{count:,} records, {kind.name}", file=sys.stderr, flush=True)
            try:
                results[kind.name, count] = measure(kind, tools, count, options)
            except Failed as failure:
                missing[f"{kind.name} at {count:,}"] = " ".join(str(failure).split())[-300:]
                print(f"  {failure}", file=sys.stderr, flush=True)
    print(text := table(results, missing))
    if options.write:
        write(pathlib.Path(options.write), text, results)


def table(results, missing):
    lines = [
        "| records | peer | carries | first sync s | nothing to do s | delta s | kB on the wire | peak MiB |",
        "| --: | :-- | :-- | --: | --: | --: | --: | --: |"]
    remarks = {k.name: f"{k.carries}, {k.remark}" for k in PEERS}
    for (name, count), f in results.items():
        shown = [f"{f[w]['seconds']:.3f}" for w in WORKS]
        for n, work in enumerate(WORKS):
            best = min(r[work]["seconds"] for (_, c), r in results.items() if c == count)
            if f[work]["seconds"] == best:
                shown[n] = f"**{shown[n]}**"
        wire = [f[w]["bytes"] for w in WORKS]
        kilobytes = " / ".join(f"{b / 1000:,.1f}" for b in wire) if None not in wire else "-"
        lines.append(
            f"| {count:,} | {name} | {remarks[name]} | {' | '.join(shown)} | {kilobytes} "
            f"| {max(f[w]['peak'] for w in WORKS) / 1048576:.0f} |")
    lines += [""] + verdicts(results)
    lines += [f"- {name}: not measured: {reason}" for name, reason in missing.items()]
    return "\n".join(lines)


def verdicts(results):
    """Who is ahead of syncd, and where."""
    lines = []
    names = {"first": "the first sync", "nothing": "nothing to do", "delta": "the delta"}
    for (name, count), f in results.items():
        ours = results.get(("syncd", count))
        if name == "syncd" or not ours:
            continue
        ahead = [
            f"{names[w]} ({ours[w]['seconds'] / f[w]['seconds']:.1f} times as fast)"
            for w in WORKS if f[w]["seconds"] < ours[w]["seconds"]]
        if ahead:
            lines.append(f"- {name} is ahead of syncd at {count:,} records in {', '.join(ahead)}.")
    compared = [k for k in results if k[0] != "syncd" and ("syncd", k[1]) in results]
    if not compared:
        return []
    return lines or ["- No peer is ahead of syncd in any of these."]


def write(page, text, results):
    folder = page.with_suffix("")
    folder.mkdir(exist_ok=True)
    carries = {k.name: k.carries for k in PEERS}
    with open(folder / "peers.csv", "w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["peer", "carries", "work", "records", "seconds", "cpu", "peak", "bytes"])
        for (name, count), figures in results.items():
            for work, f in figures.items():
                rows.writerow(
                    [name, carries[name], work, count, f"{f['seconds']:.4f}", f"{f['cpu']:.4f}", int(f["peak"]),
                     "" if f["bytes"] is None else int(f["bytes"])])
    old = page.read_text()
    start, end = old.index(BEGIN) + len(BEGIN), old.index(END)
    page.write_text(f"{old[:start]}\n\n{text}\n\n{old[end:]}")


main()
