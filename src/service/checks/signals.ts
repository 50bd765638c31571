// Signals: a monitor says that the addresses of a check work, or that they do not, until the signal ends. The checker
// changes the states of the addresses, with the same brakes as after probes (flips.ts).

import type { CheckDefinition } from '#base/probes/definition.ts';
import { matchesPattern } from '#dns/names/pattern.ts';
import { ALL_ADDRESSES, extendSignal, type LastingSignal, type Signal, writeSignal } from '#store/check-signals.ts';
import type { Actor } from '../accounts/actor.ts';
import type { Caller, ServiceContext } from '../context.ts';
import { type Refusal, refusal } from '../refusal.ts';
import { canonicalAddress } from './addresses.ts';
import { changeChecks, findCheck, hasAllRecords } from './checks.ts';
import { type SignalView, toSignalView } from './view.ts';

interface SignalInput {
  state: Signal['state'];
  ttlSeconds: number;
  /** In any spelling. Absent: all addresses that have no signal of their own. */
  address?: string | undefined;
  reason?: string | undefined;
}

const WITHOUT_REASON = 'The monitor gave no reason.';

/**
 * Writes a signal. One that lasts and says the same gets its new end, without an entry in the history.
 * @param countWrite counts a signal that says something else; it may refuse
 * @throws Refusal forbidden, bad_request (owner, address), not_found (check, address), conflict (another type),
 * unauthorized, rate_limited, busy
 */
export async function setSignal(
  context: ServiceContext,
  caller: Caller,
  { name, owner: ownerText }: { name: string; owner: string | undefined },
  { state, ttlSeconds, address: givenAddress, reason = WITHOUT_REASON }: SignalInput,
  countWrite: () => Promise<void>,
): Promise<SignalView> {
  const { actor } = caller;
  mustSignal(actor, name);
  const address = givenAddress === undefined ? ALL_ADDRESSES : canonicalAddress(givenAddress);
  const row = await findCheck(context, actor, name, ownerText, (other) => maySignal(actor, other));
  const { type } = row.definition as CheckDefinition;
  if (type !== 'signal') throw refusal('check-without-signals', { name, type });
  const key = { owner: row.owner, checkName: name, address };
  const view = (until: number) => toSignalView({ address, state, reason, until } satisfies LastingSignal);
  const end = { seconds: ttlSeconds, keyId: actor.keyId };
  const extendedEnd = await extendSignal(context.db, key, { state, reason }, end);
  if (extendedEnd !== null) return view(extendedEnd);
  await countWrite();
  return changeChecks(context, caller, row.owner, async (tx) => {
    const written = await writeSignal(tx, key, { state, reason }, ttlSeconds);
    if (written === null) throw nothingWritten(name, givenAddress);
    const { before, until } = written;
    if (before?.state === state) return { answer: view(until), change: null };
    const subject = address === ALL_ADDRESSES ? name : `${name} ${address}`;
    return { answer: view(until), change: { action: 'check.signal', subject, before, after: { state, reason } } };
  });
}

/** Without an address, the check was deleted or changed since it was read. */
function nothingWritten(name: string, address: string | undefined): Refusal {
  if (address !== undefined) return refusal('no-target', { name, address });
  return refusal('no-check', { name, known: 'it was deleted or changed during the request' });
}

/** @throws Refusal forbidden, whether the check exists or not */
function mustSignal(actor: Actor, name: string): void {
  if (maySignal(actor, name)) return;
  throw refusal('may-not-signal', { name, names: actor.signals.join(', ') || 'no check' });
}

/** A key that may write a check may also send its signals. */
function maySignal(actor: Actor, name: string): boolean {
  return hasAllRecords(actor, 'write') || actor.signals.some((pattern) => matchesPattern(pattern, name));
}
