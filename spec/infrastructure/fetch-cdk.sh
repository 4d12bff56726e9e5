#!/bin/sh
# Installs the CDK (some 190 MB, hence no devDependency) into an ignored folder, in the versions that
# the example names, and prints the folder. Does nothing where it is there already.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
manifest="$root/spec/examples/infrastructure/cdk/package.json"
folder="$root/.cache/infrastructure"

if ! cmp -s "$manifest" "$folder/installed.json"; then
  mkdir -p "$folder"
  cp "$manifest" "$folder/package.json"
  # --prefix, so that npm cannot take another folder's manifest for this one.
  npm install --prefix "$folder" --no-audit --no-fund --no-package-lock --ignore-scripts >&2
  cp "$manifest" "$folder/installed.json"
fi
printf '%s\n' "$folder"
