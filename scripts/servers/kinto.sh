#!/usr/bin/env bash
# A real Kinto for the tests, from PyPI, in a virtual environment under .build.
#
#   scripts/servers/kinto.sh install   makes the environment where it is not there yet
#   scripts/servers/kinto.sh [run]     runs a server on a free port of loopback and prints its URL
#
# It keeps everything in memory, and ends with the process that started it, or after LIFETIME
# seconds (1800). BATCH_MAX and PAGINATE_BY are Kinto's settings of those names.
set -euo pipefail
. "$(dirname "$0")/common.sh"

install() { pypi Kinto kinto 26.5.0; }

run() { exec "$venv/bin/python" -W ignore "$here/kinto_server.py"; }

dispatch "$@"
