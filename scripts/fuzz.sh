#!/usr/bin/env bash
# Runs schemathesis against `syncd serve`, by the contract in config/openapi.yaml. Loopback only, bounded.
# usage: scripts/fuzz.sh SYNCD [EXAMPLES]
set -euo pipefail

syncd=$(realpath "${1:?the path of syncd}")
examples=${2:-50}
root=$(cd "$(dirname "$0")/.." && pwd)
tools="$root/.build/fuzz"
work=$(mktemp -d)
server=""
cleanup() {
  [[ -z "$server" ]] || kill "$server" 2> /dev/null || true
  rm -rf "$work"
}
trap cleanup EXIT

if [[ ! -x "$tools/bin/schemathesis" ]]; then
  python3 -m venv "$tools"
  "$tools/bin/pip" install --quiet 'schemathesis>=4.3,<5'
fi

"$syncd" serve --quiet --listen 127.0.0.1:0 --store "$work/server.db" > "$work/url" 2> "$work/log" &
server=$!
for _ in $(seq 200); do
  grep -q listening "$work/url" && break
  sleep 0.05
done
url=$(sed -nE 's#^listening on (http://[^/]*).*#\1#p' "$work/url")
[[ -n "$url" ]] || { cat "$work/log"; exit 1; }

cd "$root"
timeout 900 "$tools/bin/schemathesis" --config-file "$root/Tests/fuzz/schemathesis.toml" \
  run "$root/config/openapi.yaml" --url "$url" --max-examples "$examples"
