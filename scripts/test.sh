#!/usr/bin/env bash
# Builds and runs every test, or those that SYNCD_TESTS names (a pattern); the last line says how many
# there were. Arguments go to swift.
set -uo pipefail

log=$(mktemp)
trap 'rm -f "$log"' EXIT

swift build "$@" --build-tests || exit 1
# Many tests hold a thread while they wait for a real server: a few at a time, or they starve one another.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=${SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH:-4}
# What passed is left out, line by line; a filter that leaves everything out is no failure.
swift test "$@" ${SYNCD_TESTS:+--filter "$SYNCD_TESTS"} --skip-build --disable-xctest 2>&1 | tee "$log" \
  | { grep -avE '^(◇|↳ Test|\[)|^(✔|􁁛) Test ("|[^r].*\b(passed|started))' || true; }
code=${PIPESTATUS[0]}

summary=$(grep -aE 'Test run with [0-9]+ tests?' "$log" | tail -n 1)
count=$(sed -nE 's/.*Test run with ([0-9]+) tests?.*/\1/p' <<< "$summary")
if [[ "$code" -ne 0 || -z "$count" || "$count" -eq 0 || "$summary" != *" passed after "* ]]; then
  echo "tests failed (of ${count:-0})"
  exit 1
fi
echo "$count tests passed"
