#!/usr/bin/env bash
# A real Apache with mod_dav for the tests, from Debian's packages.
#
#   scripts/servers/apache.sh install   installs them where they are missing
#   scripts/servers/apache.sh [run]     runs a server on a free port of loopback and prints its URL
#
# It lets alice in with the password s3cret, to a folder that is empty. It ends, and its folder goes, with
# the process that started it, or after LIFETIME seconds (1800).
set -euo pipefail
. "$(dirname "$0")/common.sh"
run_as=www-data

install() { debian apache2 apache2-bin; }

run() {
  begin
  webdav_folder
  modules=$(dirname "$(dpkg -L apache2-bin | grep -m 1 '/mod_dav\.so$')")
  {
    echo "ServerRoot $folder"
    echo "PidFile $folder/pid"
    echo "DefaultRuntimeDir $folder"
    echo "ErrorLog $folder/errors"
    echo "Listen 127.0.0.1:$port"
    echo "ServerName localhost"
    for name in mpm_event authn_core authn_file authz_core authz_user auth_basic dav dav_fs; do
      echo "LoadModule ${name}_module $modules/mod_$name.so"
    done
    echo "DavLockDB $folder/locks/db"
    echo "DocumentRoot $folder/root"
    echo "AllowEncodedSlashes NoDecode"
    echo "<Directory $folder/root>"
    echo "  Dav On"
    echo "  AuthType Basic"
    echo "  AuthName dav"
    echo "  AuthUserFile $folder/htpasswd"
    echo "  Require valid-user"
    echo "</Directory>"
  } > "$folder/apache.conf"
  serve / apache2 -X -f "$folder/apache.conf"
}

dispatch "$@"
