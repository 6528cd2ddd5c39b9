#!/usr/bin/env bash
# Measures syncd against its own server on this machine: a first run, an idle run, a small change.
# usage: scripts/bench.sh SYNCD [PROJECTS]
set -euo pipefail

syncd=$(realpath "${1:?the path of syncd}")
count=${2:-10000}
work=$(mktemp -d)
server=""
cleanup() {
  [[ -n "$server" ]] && kill "$server" 2> /dev/null && wait "$server" 2> /dev/null
  rm -rf "$work"
}
trap cleanup EXIT
export XDG_CONFIG_HOME="$work/config" SYNCD_STORE="$work/projects.db"
unset SYNCD_CONFIG SYNCD_TOKEN

"$syncd" serve --quiet --listen 127.0.0.1:0 --store "$work/server.db" > "$work/url" &
server=$!
for _ in $(seq 100); do grep -q listening "$work/url" && break; sleep 0.05; done
SYNCD_REMOTE=$(sed -n 's/^listening on //p' "$work/url")
export SYNCD_REMOTE

seconds() {
  local start=$EPOCHREALTIME
  "$@" > /dev/null
  awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%8.3f s", b - a }'
}

echo "$count projects, server and client on this machine"
awk -v n="$count" 'BEGIN { print "title,body,state"
  for (i = 1; i <= n; i++) printf "Project %d,%s,todo\n", i, "a body of some length, as people write them" }' \
  > "$work/projects.csv"
echo "$(seconds "$syncd" version)  version (start-up)"
echo "$(seconds "$syncd" import "$work/projects.csv")  import"
echo "$(seconds "$syncd" once)  first run: all appended"
echo "$(seconds "$syncd" once)  idle run: nothing to do"
sqlite3 "$SYNCD_STORE" "UPDATE projects SET state = 'done' WHERE id IN (SELECT id FROM projects LIMIT 10)"
echo "$(seconds "$syncd" once)  ten projects changed"
echo "$(seconds "$syncd" list)  list"
