// Pins: for some time, the decision of a person about an address counts instead of the probes.
import { findTarget, markTarget, type Pin, writePin } from '#store/check-targets.ts';
import { findOutage } from '#store/database.ts';
import { isLockFailure } from '../change/once.ts';
import type { Caller, ServiceContext } from '../context.ts';
import { readAfterChange } from '../outage.ts';
import { refusal } from '../refusal.ts';
import { canonicalAddress } from './addresses.ts';
import { changeChecks, findCheck, mustHaveAllRecords } from './checks.ts';
import { type TargetView, toTargetView } from './view.ts';
import { readVoteCounts } from './vote-counts.ts';

interface PinInput {
  state: Pin['state'];
  reason: string;
  seconds: number;
}

/**
 * @param address in any spelling
 * @param input null: ends the pin; a repeated call changes nothing
 * @throws Refusal forbidden, bad_request (owner, address), not_found (check, address), unauthorized, busy
 */
export async function setPin(
  context: ServiceContext,
  caller: Caller,
  place: { name: string; address: string; owner: string | undefined },
  input: PinInput | null,
): Promise<TargetView> {
  mustHaveAllRecords(caller.actor, 'write');
  const key = { checkName: place.name, address: canonicalAddress(place.address) };
  const check = await findCheck(context, caller.actor, place.name, place.owner);
  const { owner } = check;
  const pin = input && toPin(input, caller, context.now());
  const written = await changeChecks(context, caller, owner, async (tx) => {
    const before = await findTarget(tx, { owner, ...key });
    const answer = await writePin(tx, { owner, ...key }, pin);
    if (answer === null) throw refusal('no-target', { name: place.name, address: key.address });
    if (pin === null && !before?.pin) return { answer, change: null };
    const action = pin === null ? 'check.unpin' : 'check.pin';
    const subject = `${place.name} ${key.address}`;
    return { answer, change: { action, subject, before: before?.pin ?? null, after: pin } };
  });
  await markNow(context, { owner, ...key }, written.mark);
  const votes = await readAfterChange(() => readVoteCounts(context.db, check));
  return toTargetView(written, votes.get(key.address) ?? null);
}

/** The pin is committed: the checker marks the zones that are not marked now. */
async function markNow(context: ServiceContext, key: Parameters<typeof markTarget>[1], mark: string | null) {
  if (mark === null) return;
  try {
    await markTarget(context.db, key, mark, Math.floor(context.now().getTime() / 1_000));
  } catch (error) {
    if (!isLockFailure(error) && findOutage(error) === null) throw error;
  }
}

function toPin({ state, reason, seconds }: PinInput, { actor }: Caller, now: Date): Pin {
  return { state, reason, by: actor.user?.email ?? actor.keyName, until: now.getTime() + seconds * 1_000 };
}
