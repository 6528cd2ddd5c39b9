#!/usr/bin/env bash
# Shows what syncd does, step by step, and checks that every step did it.
# usage: scripts/demo.sh SYNCD
set -euo pipefail

syncd=$(realpath "${1:?the path of syncd}")
work=$(mktemp -d)
server=""
service=""

stop_server() {
  [[ -z "$server" ]] && return 0
  kill "$server" 2> /dev/null || true
  wait "$server" 2> /dev/null || true
  server=""
}
stop_service() {
  [[ -z "$service" ]] && return 0
  kill "$service" 2> /dev/null || true
  wait "$service" 2> /dev/null || true
  service=""
}
cleanup() {
  stop_service
  stop_server
  rm -rf "$work"
}
trap cleanup EXIT

# Nothing of the machine's own configuration takes part.
export HOME="$work/home" XDG_CONFIG_HOME="$work/config" XDG_DATA_HOME="$work/data"
unset SYNCD_CONFIG SYNCD_STORE SYNCD_REMOTE SYNCD_TOKEN NOTIFY_SOCKET LISTEN_FDS JOURNAL_STREAM
mkdir -p "$HOME"
cd "$work"

if [[ -t 1 && -z "${NO_COLOR:-}" ]]; then
  bold=$'\e[1m' green=$'\e[32m' red=$'\e[31m' plain=$'\e[0m'
else
  bold="" green="" red="" plain=""
fi

chapter() { printf '\n%s%s%s\n' "$bold" "$1" "$plain"; }
tell() { printf '%s\n' "$1"; }
checked() { printf '  %s✓%s %s\n' "$green" "$plain" "$1"; }
broken() {
  printf '  %s✗ %s%s\n' "$red" "$1" "$plain"
  exit 1
}

# Shows a command line as one would type it, runs it, and keeps what it said and its exit code.
run() {
  local word shown=""
  for word in "$@"; do
    if [[ "$word" == *\'* ]]; then
      shown+=" \"$word\""
    elif [[ "$word" =~ [^A-Za-z0-9_./:=-] ]]; then
      shown+=" '$word'"
    else
      shown+=" $word"
    fi
  done
  printf '$%s\n' "${shown/ $syncd/ syncd}"
  code=0
  "$@" > said 2>&1 || code=$?
  cat said
}
expect_exit() { if [[ "$code" -eq "$1" ]]; then checked "$2"; else broken "$2 (exit $code, not $1)"; fi; }
expect_said() { if grep -qF -- "$1" said; then checked "$2"; else broken "$2"; fi; }
expect_same() { if diff "$1" "$2" > difference; then checked "$3"; else cat difference; broken "$3"; fi; }

listen=127.0.0.1:0
start_server() {
  : > server.url
  "$syncd" serve --quiet --listen "$listen" --store "$work/server.db" > server.url 2> server.log &
  server=$!
  for _ in $(seq 200); do
    grep -q listening server.url && break
    kill -0 "$server" 2> /dev/null || { cat server.log; broken "the server starts"; }
    sleep 0.05
  done
  url=$(sed -n 's/^listening on //p' server.url)
  [[ -n "$url" ]] || broken "the server says where it listens"
  listen=${url#http://}
  listen=${listen%%/*}
}

# Both sides in the same form: one line a project. The server is asked with curl, not with syncd.
lines="SELECT group_concat(json_array(value ->> 'id', value ->> 'title', value ->> 'body',
  value ->> 'state', value ->> 'dueAt', value ->> 'updatedAt'), char(10)) FROM (SELECT value FROM"
here() {
  "$syncd" list --json > here.json
  sqlite3 :memory: "$lines json_each(readfile('here.json')) ORDER BY value ->> 'id')"
}
there() {
  curl --silent --show-error --fail --max-time 10 "$url" > there.json
  sqlite3 :memory: "$lines json_each(readfile('there.json')) ORDER BY value ->> 'id')"
}
etag() { curl --silent --max-time 10 --output /dev/null --dump-header - "$url" | grep -i '^etag:'; }
store_bytes() { cat projects.db projects.db-wal 2> /dev/null | sha256sum; }
id_of() { sqlite3 projects.db "SELECT id FROM projects WHERE title LIKE '$1%'"; }

chapter "1. A server, and a store on this machine"
tell "The server is syncd's own; any REST collection that lists, puts and deletes would do."
start_server
tell "\$ syncd serve --listen 127.0.0.1:0"
cat server.url
export SYNCD_STORE="$work/projects.db" SYNCD_REMOTE="$url"
cat > projects.csv << 'CSV'
title,body,state,dueAt
Replace the kitchen tap,"Shut the water off first: the valve is behind the washing machine.",todo,2027-01-16
Renew Marta's passport,"Two photographs, the old passport, 81 euros.",doing,2026-12-18
Plan the spring beds,"Beans where the potatoes were; leave the north bed fallow.",todo,2027-02-28
Insulate the attic hatch,,todo,
Invoice the Hofer bakery,"Hours for October and November.",doing,2026-12-05
Translate the beekeeping manual,"Chapters 4 to 7; Ilse reads the proofs.",doing,2027-03-31
Repair the red bicycle,"New chain, and the rear brake pulls to the left.",todo,
Book the choir's rehearsal room,"Wednesdays, 19:00 to 21:00.",done,2026-11-20
Digitise grandfather's slides,"Boxes 3 and 9 are still at Paul's.",todo,
Write the talk about well water,"Twenty minutes; the laboratory's figures are on the blue stick.",todo,2027-01-22
Order firewood,"Four cubic metres of beech, cut to 33 cm.",done,2026-10-30
Prepare the annual accounts,"The tax office wants them by the end of January.",todo,2027-01-31
CSV
run "$syncd" import projects.csv
expect_exit 0 "twelve projects are in the store, without any network"
run "$syncd" list
expect_said "Renew Marta's passport" "they are listed"

chapter "2. The first run carries everything over"
run "$syncd" once
expect_exit 0 "done, in sync"
here > a && there > b
expect_same a b "the server, asked with curl, has the same twelve projects"
before=$(etag)
run "$syncd" once
expect_said "nothing to do" "a second run finds nothing to do"
[[ -n "$before" && "$before" == "$(etag)" ]] || broken "the server's collection did not change"
checked "and the server's collection did not change"

chapter "3. The network goes away; work goes on"
stop_server
tell "(The server is stopped.)"
run "$syncd" edit "$(id_of 'Renew Marta')" --state done
expect_exit 0 "an edit works at once"
run "$syncd" add "Fix the leaking gutter" --due 2026-12-10 --body "Above the back door."
expect_exit 0 "so does a new project"
run "$syncd" rm "$(id_of 'Order firewood')"
expect_exit 0 "and a deletion"
tell "The store is an SQLite file that any program may write; this is the sqlite3 shell:"
run sqlite3 projects.db "UPDATE projects SET due_at = '2026-12-20' WHERE title LIKE 'Repair the red%'"
expect_exit 0 "a plain UPDATE is a change like any other"
run "$syncd" once --retry-for 0s
expect_exit 75 "a run says that it is offline, exit 75; nothing is lost"
run "$syncd" status
expect_said "4 changes" "four changes wait, and status says for how long"

chapter "4. The network is back"
start_server
tell "(The server runs again, with the same store on the same port.)"
tell "First a look at what would happen; plan changes nothing on either side:"
before=$(etag)
bytes=$(store_bytes)
run "$syncd" plan --exit-code
expect_exit 10 "there is something to do, exit 10"
expect_said "1 to append, 2 to update, 1 to delete on the remote" "the plan names all four changes"
[[ "$before" == "$(etag)" ]] || broken "the server's collection did not change"
checked "the server's collection did not change"
[[ "$bytes" == "$(store_bytes)" ]] || broken "no byte of the store changed"
checked "no byte of the store changed"
run "$syncd" once
expect_exit 0 "done, in sync"
expect_said "1 appended, 2 updated, 1 deleted on the remote" "the run did what the plan said"
here > a && there > b
expect_same a b "both sides are equal again"
before=$(etag)
run "$syncd" once -q
expect_exit 0 "a run right after writes nothing"
[[ ! -s said && "$before" == "$(etag)" ]] || broken "and with -q it says nothing"
checked "and with -q it says nothing: cron mails only trouble"

chapter "5. A store that looks empty does not empty the server"
tell "Someone points the configuration at a fresh file, or a disk is not mounted:"
run "$syncd" once --store "$work/fresh.db"
expect_exit 3 "the run is refused, exit 3"
there > c
expect_same b c "the server still has every project"

chapter "6. What was deleted or overwritten can be had back"
deleted=$(sqlite3 projects.db "SELECT id FROM syncd_history WHERE title = 'Order firewood' LIMIT 1")
run "$syncd" restore "$deleted"
run "$syncd" once
expect_said "1 appended on the remote" "the project that was removed is back, on both sides"
here > a && there > b
expect_same a b "both sides are equal"

chapter "7. The service does it by itself"
cat > "$work/service.json5" << CONFIG
{ store: "$work/projects.db", remote: { url: "$url" }, service: { socket: "$work/control.sock" } }
CONFIG
export SYNCD_CONFIG="$work/service.json5"
tell "\$ syncd run &"
"$syncd" run 2> service.log &
service=$!
# Waits until the log says something for the nth time; everything here takes seconds at most.
wait_for_log() {
  for _ in $(seq 600); do
    [[ "$(grep -c -- "$1" service.log)" -ge "${2:-1}" ]] && return 0
    kill -0 "$service" 2> /dev/null || break
    sleep 0.05
  done
  cat service.log
  broken "the log says: $1"
}
wait_until_sent() {
  for _ in $(seq 600); do
    "$syncd" status --json | grep -q '"pending":0' && return 0
    sleep 0.05
  done
  cat service.log
  broken "the change goes out"
}
wait_for_log "started: "
tell "Somebody edits with the sqlite3 shell, and nobody runs anything:"
run sqlite3 -cmd ".timeout 5000" projects.db "UPDATE projects SET state = 'doing' WHERE title LIKE 'Plan the spring%'"
expect_exit 0 "a plain UPDATE, while the service runs"
wait_for_log "1 updated on the remote"
here > a && there > b
expect_same a b "a moment later the server has it"
stop_server
tell "(The server is stopped.)"
run "$syncd" add "Oil the garden gate"
wait_for_log "cannot be reached\|refused\|offline"
run "$syncd" status
expect_said "1 change" "the change waits, and the service tries again by itself"
start_server
tell "(The server runs again.)"
wait_until_sent
here > a && there > b
expect_same a b "it went out when the server came back"
run "$syncd" sync --wait
expect_said "nothing to do" "a further run has nothing to do"
tell "What the service said meanwhile:"
sed 's/^/  /' service.log
kill -TERM "$service"
code=0
wait "$service" || code=$?
service=""
expect_exit 0 "asked to end, it finishes what is under way and ends, exit 0"

printf '\n%sEvery step did what it says.%s\n' "$green" "$plain"
