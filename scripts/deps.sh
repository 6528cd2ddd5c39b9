#!/usr/bin/env bash
# Installs the Debian packages that a build needs, or says which command would.
set -euo pipefail

packages=(libsqlite3-dev libcurl4-openssl-dev libmicrohttpd-dev libsodium-dev zlib1g-dev
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

# Where there is no dpkg, the C libraries come from elsewhere; the build will tell.
command -v dpkg-query > /dev/null || exit 0

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${Status}' "$package" 2> /dev/null || true)
  # pkgconf stands in for pkg-config on newer systems.
  if [[ "$package" == pkg-config ]] && command -v pkg-config > /dev/null; then continue; fi
  [[ "$status" == "install ok installed" ]] || missing+=("$package")
done
[[ ${#missing[@]} -eq 0 ]] && exit 0

if [[ $EUID -ne 0 ]]; then
  echo "these packages are missing: ${missing[*]}" >&2
  echo "install them with: sudo apt-get install ${missing[*]}" >&2
  exit 1
fi
export DEBIAN_FRONTEND=noninteractive
apt-get install -y -q --no-install-recommends "${missing[@]}" \
  || { apt-get update -q && apt-get install -y -q --no-install-recommends "${missing[@]}"; }
