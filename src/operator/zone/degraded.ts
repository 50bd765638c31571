// The condition Degraded of a DNSZone: an address of its name servers answers nothing or is cordoned, and the zone is
// Ready without it. After a restart, the operator reads from the condition which addresses were silent: Ready must not
// be lost until they have been silent for two minutes again.
import { findCondition, isTrue } from '#kube/objects/conditions.ts';
import type { Reach } from '#nameserver/probe/reach.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import { DEGRADED } from '#resources/names.ts';
import { leftOutNote, type Proof, readLeftOut } from '../proof/propagation.ts';
import type { Answers, ZoneRun } from '../run/run.ts';

/** The time until the next query of an address that was omitted, in ms. */
export const LEFT_OUT_RETRY_MS = 30_000;

const REMEDY = 'Start the name server or repair the network to it; the operator counts it again with its first answer.';

const CORDON_REMEDY =
  'The cordon ends automatically, or when the administrator runs "zonestead admin nameservers uncordon".';

/** The condition for the status. A zone that was never degraded does not have it. */
export function degradedAnswer({ object }: Pick<ZoneRun, 'object'>, { leftOut }: Pick<Proof, 'leftOut'>): Answers {
  const note = leftOutNote(leftOut);
  const isUnreachable = leftOut.some(({ cordon }) => cordon === undefined);
  const isCordoned = leftOut.some(({ cordon }) => cordon !== undefined);
  if (note !== null) {
    const reason = isUnreachable ? 'NameServerUnreachable' : 'NameServerCordoned';
    const remedies = [isUnreachable ? REMEDY : null, isCordoned ? CORDON_REMEDY : null];
    const message = [note, ...remedies].filter((text) => text !== null).join(' ');
    return { [DEGRADED]: { status: 'True', reason, message } };
  }
  if (findCondition(object.status?.conditions, DEGRADED) === undefined) return {};
  return { [DEGRADED]: { status: 'False', reason: 'NotDegraded', message: 'No name server is omitted.' } };
}

/** Tells the prober what the status knows, from before a restart too. To be called before each proof. */
export function restoreReach({ status }: DNSZone, reach: Pick<Reach, 'restore'>): void {
  if (!isTrue(status?.conditions, DEGRADED)) return;
  const message = findCondition(status?.conditions, DEGRADED)?.message ?? '';
  for (const { name, address, since } of readLeftOut(message)) reach.restore(name, address, since);
}
