#!/usr/bin/env bash
# Installs the Debian packages that a build needs, or says which command would.
set -euo pipefail
. "$(dirname "$0")/apt.sh"

packages=(libsqlite3-dev libcurl4-openssl-dev libmicrohttpd-dev libsodium-dev libexpat1-dev zlib1g-dev
  pkg-config sqlite3 curl openssl)
# The tests read our units with its systemd-analyze.
packages+=(systemd)
# They speak to real servers from PyPI, in virtual environments.
packages+=(python3-venv)
required=6.2

if ! command -v swift > /dev/null; then
  echo "swift is missing: version $required or later is needed; see https://www.swift.org/install" >&2
  exit 1
fi
version=$(swift --version 2> /dev/null | sed -nE 's/.*Swift version ([0-9]+\.[0-9]+).*/\1/p' | head -n 1)
if [[ -z "$version" || "$(printf '%s\n' "$required" "$version" | sort -V | head -n 1)" != "$required" ]]; then
  echo "swift is ${version:-of an unknown version}: $required or later is needed; see https://www.swift.org/install" >&2
  exit 1
fi

need_packages "${packages[@]}"
