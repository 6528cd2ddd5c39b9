#!/usr/bin/env bash
# A real nginx with its module for WebDAV, and dav-ext, for the tests, from Debian's packages.
#
#   scripts/servers/nginx.sh install   installs them where they are missing
#   scripts/servers/nginx.sh [run]     runs a server on a free port of loopback and prints its URL
#
# It lets alice in with the password s3cret, to a folder that is empty. It ends, and its folder goes, with
# the process that started it, or after LIFETIME seconds (1800).
set -euo pipefail
. "$(dirname "$0")/common.sh"
run_as=www-data

install() { debian nginx nginx libnginx-mod-http-dav-ext; }

run() {
  begin
  webdav_folder
  module=$(dpkg -L libnginx-mod-http-dav-ext | grep -m 1 '\.so$')
  {
    echo "load_module $module;"
    echo "daemon off; master_process off; pid $folder/pid; error_log $folder/errors;"
    echo "events { worker_connections 512; }"
    echo "http {"
    echo "  access_log off; types {} default_type application/json; client_max_body_size 32m;"
    for part in client_body proxy fastcgi uwsgi scgi; do
      echo "  ${part}_temp_path $folder/temporary/$part;"
    done
    echo "  server {"
    echo "    listen 127.0.0.1:$port; root $folder/root;"
    echo "    auth_basic dav; auth_basic_user_file $folder/htpasswd;"
    echo "    location / {"
    echo "      dav_methods PUT DELETE MKCOL COPY MOVE; dav_ext_methods PROPFIND OPTIONS;"
    echo "    }"
    echo "  }"
    echo "}"
  } > "$folder/nginx.conf"
  serve / nginx -e "$folder/errors" -c "$folder/nginx.conf"
}

dispatch "$@"
