// Health checks and their addresses as commands print them.
import { writeExpected, writeNameServers, writeProbe, writeRhythm } from '#contract/check-text.ts';
import type { ChangeView, CheckDefinition, CheckView, SignalView, TargetView } from '#contract/checks.ts';
import { formatMinute, formatSecond, table } from '../table.ts';

type Print = (line: string) => void;

/** The lines about the definition of a check. */
export function printDefinition(definition: CheckDefinition, print: Print): void {
  const expected = writeExpected(definition);
  const certificate = definition.type !== 'signal' && definition.tls === 'none' ? ', any certificate' : '';
  print(`probe: ${writeProbe(definition)}${expected === null ? '' : `, expects ${expected}`}${certificate}`);
  const rhythm = writeRhythm(definition);
  if (rhythm !== null) print(`rhythm: ${rhythm}`);
}

/** The changes that `checks show` lists; `-o json` has all of them. */
const LISTED_CHANGES = 5;

export function printCheck({ name, owner, definition, targets, changes, signals }: CheckView, print: Print): void {
  print(`${name} (${owner})`);
  printDefinition(definition, print);
  for (const signal of signals) print(`signal: ${describeSignal(signal)}`);
  if (targets.length === 0) print(`no record names the check; "zonestead records set … --check ${name}" does`);
  else printTargets(targets, print);
  for (const change of changes.slice(0, LISTED_CHANGES)) print(describeChange(change));
}

function describeChange({ address, at, state, reason }: ChangeView): string {
  return `${formatSecond(at)}: ${address} became ${state}${reason === null ? '' : `: ${reason}`}`;
}

/** `Unhealthy until 2026-11-27 10:00 for 192.0.2.1: backup` */
export function describeSignal({ address, state, reason, until }: SignalView): string {
  return `${state} until ${formatMinute(until)} for ${address ?? 'all addresses without one of their own'}: ${reason}`;
}

export function printTargets(targets: readonly TargetView[], print: Print): void {
  table(['ADDRESS', 'STATE', 'SINCE', 'NAME SERVERS', 'PIN', 'REASON'], targets.map(rowOf), print);
}

function rowOf(target: TargetView): string[] {
  const { address, state, since, pin, reason } = target;
  const pinned = pin === null ? '-' : `${pin.state} until ${formatMinute(pin.until)}`;
  const words = [...(pin === null ? [] : [`${pin.by}: ${pin.reason}`]), ...(reason === null ? [] : [reason])];
  return [address, state, formatMinute(since), writeNameServers(target) ?? '-', pinned, words.join(' / ') || '-'];
}
