#!/bin/sh
# Debian's Redis server, where it is missing. The specs start and stop servers of their own.
set -eu

if command -v redis-server >/dev/null 2>&1; then
  redis-server --version
  exit 0
fi
if [ "$(id -u)" -ne 0 ]; then
  echo 'redis-server is missing, and only root can install it: apt-get install redis-server' >&2
  exit 1
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
# The package would start a server on the standard port, which no spec wants.
if [ ! -e /usr/sbin/policy-rc.d ]; then
  printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d
  chmod +x /usr/sbin/policy-rc.d
  trap 'rm -f /usr/sbin/policy-rc.d' EXIT
fi
apt-get install -y -qq redis-server
redis-server --version
