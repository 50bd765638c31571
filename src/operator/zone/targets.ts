// The condition TargetsExist of a DNSZone: whether records of the zone point to names that do not exist, as the service
// has found by lookups. The operator asks about every ten minutes, and Ready does not depend on the answer. A zone that
// never had such a record does not have the condition.
import type { Clock } from '#base/clock.ts';
import { whole } from '#client/zone-nodes.ts';
import type { DanglingName } from '#contract/dangling.ts';
import { listDanglingNames } from '#contract/operations/dangling.ts';
import type { Zone } from '#contract/zone.ts';
import { findCondition } from '#kube/objects/conditions.ts';
import { keyOf } from '#kube/objects/resource.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import { TARGETS_EXIST } from '#resources/names.ts';
import type { ServiceConnection } from '../access/credentials.ts';
import type { Answers, ZoneRun } from '../run/run.ts';
import { CHECK_INTERVAL_MS } from './owners.ts';

/** The records that a message names. */
const SHOWN = 3;

export interface TargetChecks {
  /** The condition for the status. Empty: it stays as it is. */
  check(run: ZoneRun, service: Pick<ServiceConnection, 'client'>, zone: Pick<Zone, 'id'>): Promise<Answers>;
  forget(key: string): void;
}

export function createTargetChecks(clock: Clock): TargetChecks {
  const dueAt = new Map<string, number>();
  return {
    check: async ({ object, call }, { client }, { id }) => {
      const key = keyOf(object);
      if ((dueAt.get(key) ?? 0) > clock.now()) return {};
      dueAt.set(key, clock.now() + CHECK_INTERVAL_MS);
      try {
        const query = { zone: id, limit: SHOWN + 1 };
        const { danglingNames } = await client.call(listDanglingNames, { query }, call);
        return targetsAnswer(object, danglingNames);
      } catch {
        call.signal.throwIfAborted();
        // The run does not need the answer: an older api, a key without the right or an outage changes nothing.
        return {};
      }
    },
    forget: (key) => void dueAt.delete(key),
  };
}

/** @param names the first dangling names of the zone, one more than a message has if there are more */
export function targetsAnswer({ status }: Pick<DNSZone, 'status'>, names: readonly DanglingName[]): Answers {
  if (names.length > 0) {
    const reason = names.some(({ missing }) => missing === 'domain') ? 'TargetDomainMissing' : 'TargetMissing';
    return { [TARGETS_EXIST]: { status: 'False', reason, message: messageFor(names) } };
  }
  if (findCondition(status?.conditions, TARGETS_EXIST) === undefined) return {};
  const message = 'No record points to a name that is known not to exist.';
  return { [TARGETS_EXIST]: { status: 'True', reason: 'TargetsExist', message } };
}

function messageFor(names: readonly DanglingName[]): string {
  const shown = names.slice(0, SHOWN).map(({ name, type, target, missing, missingName, since }) => {
    const where = missingName === target ? target : `${target}, which leads to ${missingName}`;
    const what = missing === 'domain' ? 'a domain that is not registered' : 'missing';
    return `${name} ${type} ${where} (${what}, since ${whole(since)})`;
  });
  const more = names.length > SHOWN ? '; and more' : '';
  return `Records point to names that do not exist: ${shown.join('; ')}${more}. A person who can create such a name takes over the name of the record.`;
}
