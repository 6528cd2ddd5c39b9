# What the scripts of the real servers share. Source it with `set -euo pipefail`.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
home=${SYNCD_SERVERS:-$here/../../.build/servers}
PATH=$PATH:/usr/sbin:/sbin
. "$here/../apt.sh"

# pypi NAME PACKAGE VERSION: a virtual environment with that package, as $venv; made where it is not there
# yet.
pypi() {
  local name=$1 package=$2 version=$3
  venv=$home/${name,,}-$version
  [[ -e "$venv/complete" ]] && return
  mkdir -p "$home"
  # Several tests may ask at once.
  exec 9> "$home/${name,,}.lock"
  command -v flock > /dev/null && flock 9
  [[ -e "$venv/complete" ]] && return
  rm -rf "$venv"
  python3 -m venv "$venv" >&2 || {
    echo "$name cannot be installed: python3 has no venv; apt-get install python3-venv" >&2
    exit 1
  }
  "$venv/bin/pip" install -q --disable-pip-version-check "$package==$version" >&2 || {
    echo "$name cannot be installed: PyPI does not give $package==$version" >&2
    exit 1
  }
  touch "$venv/complete"
  exec 9>&-
}

# debian COMMAND PACKAGE...: packages that bring a command; installed where they are missing.
debian() {
  local command=$1
  shift
  if command -v dpkg-query > /dev/null && ! dpkg-query -W "$@" > /dev/null 2>&1; then
    mkdir -p "$home"
    exec 9> "$home/apt.lock"
    command -v flock > /dev/null && flock 9
    need_packages "$@"
    exec 9>&-
  fi
  command -v "$command" > /dev/null || {
    echo "$command is missing" >&2
    exit 1
  }
}

# begin: a temporary folder, as $folder, and a free port of loopback, as $port. The folder goes with the
# script, and so does the server.
begin() {
  parent=$PPID
  server=
  folder=$(mktemp -d)
  trap '[[ -z "$server" ]] || kill -9 "$server" 2> /dev/null; rm -rf "$folder"' EXIT
  trap 'exit 0' TERM INT
  port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
}

# serve PATH COMMAND...: runs a server that stays one process in the foreground. Once PATH answers, prints its
# URL; then waits until whoever started this ends, or LIFETIME (1800 seconds) is over.
serve() {
  local path=$1 end
  shift
  # With the shell killed, the kernel ends the server. Root's rights are for no server.
  local hold=()
  if command -v setpriv > /dev/null; then
    if [[ -n "${run_as:-}" && $EUID -eq 0 ]]; then
      chown -R "$run_as" "$folder"
      hold=(setpriv --reuid "$run_as" --regid "$run_as" --clear-groups --pdeathsig KILL)
    else
      hold=(setpriv --pdeathsig KILL)
    fi
  fi
  "${hold[@]}" "$@" > "$folder/log" 2>&1 &
  server=$!
  disown "$server"
  until curl -s -o /dev/null "http://127.0.0.1:$port$path"; do
    kill -0 "$server" 2> /dev/null || { cat "$folder/log" >&2; exit 1; }
    sleep 0.1
  done
  echo "URL http://127.0.0.1:$port"
  end=$((SECONDS + ${LIFETIME:-1800}))
  while kill -0 "$parent" 2> /dev/null && kill -0 "$server" 2> /dev/null && ((SECONDS < end)); do
    sleep 0.5
  done
}

# webdav_folder: what a WebDAV server serves, $folder/root, to alice with the password s3cret.
webdav_folder() {
  mkdir "$folder/root" "$folder/temporary" "$folder/locks"
  echo "alice:{SHA}$(printf s3cret | openssl dgst -sha1 -binary | openssl base64)" > "$folder/htpasswd"
}

# dispatch [install|run]: what a script is called with; it has functions of those names.
dispatch() {
  case "${1:-run}" in
    install) install ;;
    run)
      install
      run
      ;;
    *)
      echo "usage: $(basename "$0") [install|run]" >&2
      exit 2
      ;;
  esac
}
