# Installs Debian packages that are missing, or says which command would. Source it.
#
#   need_packages PACKAGE...

# Where there is no dpkg, what is needed comes from elsewhere; whoever needs it will tell.
need_packages() {
  command -v dpkg-query > /dev/null || return 0
  local package status missing=()
  for package in "$@"; do
    status=$(dpkg-query -W -f='${Status}' "$package" 2> /dev/null || true)
    # pkgconf stands in for pkg-config on newer systems.
    if [[ "$package" == pkg-config ]] && command -v pkg-config > /dev/null; then continue; fi
    [[ "$status" == "install ok installed" ]] || missing+=("$package")
  done
  [[ ${#missing[@]} -eq 0 ]] && return 0
  if [[ $EUID -ne 0 ]]; then
    echo "these packages are missing: ${missing[*]}" >&2
    echo "install them with: sudo apt-get install ${missing[*]}" >&2
    return 1
  fi
  # A server that is installed is not started.
  local install=(env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1
    apt-get install -y -q --no-install-recommends "${missing[@]}")
  "${install[@]}" >&2 || { apt-get update -q >&2 && "${install[@]}" >&2; }
}
