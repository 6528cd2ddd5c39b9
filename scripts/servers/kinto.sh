#!/usr/bin/env bash
# A real Kinto for the tests, from PyPI, in a virtual environment under .build.
#
#   scripts/servers/kinto.sh install   makes the environment where it is not there yet
#   scripts/servers/kinto.sh [run]     runs a server on a free port of loopback and prints its URL
#
# It keeps everything in memory, and ends with the process that started it, or after LIFETIME
# seconds (1800). BATCH_MAX and PAGINATE_BY are Kinto's settings of those names.
set -euo pipefail
version=26.5.0
here=$(cd "$(dirname "$0")" && pwd)
home=${SYNCD_SERVERS:-$here/../../.build/servers}
venv=$home/kinto-$version

install() {
  [[ -e "$venv/complete" ]] && return
  mkdir -p "$home"
  # Several tests may ask at once.
  exec 9> "$home/kinto.lock"
  command -v flock > /dev/null && flock 9
  [[ -e "$venv/complete" ]] && return
  rm -rf "$venv"
  python3 -m venv "$venv" >&2 || {
    echo "Kinto cannot be installed: python3 has no venv; apt-get install python3-venv" >&2
    exit 1
  }
  "$venv/bin/pip" install -q --disable-pip-version-check "kinto==$version" >&2 || {
    echo "Kinto cannot be installed: PyPI does not give kinto==$version" >&2
    exit 1
  }
  touch "$venv/complete"
  exec 9>&-
}

case "${1:-run}" in
  install) install ;;
  run)
    install
    exec "$venv/bin/python" -W ignore "$here/kinto_server.py"
    ;;
  *)
    echo "usage: kinto.sh [install|run]" >&2
    exit 2
    ;;
esac
