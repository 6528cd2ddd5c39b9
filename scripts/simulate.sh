#!/usr/bin/env bash
# Lets simulated fleets live, a process for each processor: threads of one process wait for one another in
# SQLite and in malloc, and take twice as long.
# usage: simulate.sh BINARY FIRST-SEED SEEDS DEVICES EVENTS PROCESSES
set -euo pipefail

binary=$1 first=$2 seeds=$3 devices=$4 events=$5 processes=$6
share=$(((seeds + processes - 1) / processes))
pids=()
started=$SECONDS
while ((seeds > 0)); do
  count=$((seeds < share ? seeds : share))
  "$binary" --seed "$first" --seeds "$count" --devices "$devices" --events "$events" &
  pids+=($!)
  first=$((first + count))
  seeds=$((seeds - count))
done
code=0
for pid in "${pids[@]}"; do wait "$pid" || code=1; done
echo "$((SECONDS - started)) s in all"
exit "$code"
