// The files that some ACME clients need instead of a command line: a hook that is one program (lego, dehydrated, uacme),
// and acme.sh's DNS API script. Pure POSIX shell; it must not know what the command does.

export const SCRIPTS = ['hook', 'acme.sh'] as const;
export type ScriptKind = (typeof SCRIPTS)[number];

/** @param command the words that run `zonestead acme` with the options that the script is to have */
export function script(kind: ScriptKind, command: readonly string[]): string {
  const run = command.map(quoted).join(' ');
  return kind === 'hook' ? hook(run) : acmeSh(run);
}

function hook(run: string): string {
  return `#!/bin/sh
# Made by "zonestead acme --print hook": one program for ACME clients that take no arguments with their hook.
# dehydrated calls it for every event; those that are no challenge's need no program started.
case "\${1-}" in
  *_challenge) ;;
  *_*) exit 0 ;;
esac
exec ${run} "$@"
`;
}

// acme.sh sources the file and calls <name of the file>_add and _rm with the full name and the value.
function acmeSh(run: string): string {
  return `#!/usr/bin/env sh
# shellcheck disable=SC2034
# Made by "zonestead acme --print acme.sh"; its place is dnsapi/dns_zonestead.sh below acme.sh's home.
dns_zonestead_info='Zonestead
Options:
 ZONESTEAD_CREDENTIALS Credentials file, mode 600
'

dns_zonestead_add() {
  ${run} add "$1" "$2"
}

dns_zonestead_rm() {
  ${run} rm "$1" "$2"
}
`;
}

/** For a POSIX shell, whatever the word holds. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
