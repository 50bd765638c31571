// Carries out a plan: deletions, then updates, then creations. Each value is a change of its own, so that one refused value does
// not affect the others. The result is the new ledger.

import { settleAll } from '#base/settle-all.ts';
import type { DnsRecord } from '#client/client.ts';
import { isAbsent } from '#client/errors.ts';
import { hasFinalizer } from '#kube/objects/finalizer.ts';
import type { LedgerEntry } from '#resources/dnsrecord.ts';
import { CREATION_ANNOTATION, FINALIZER } from '#resources/names.ts';
import type { Connection } from '../access/credentials.ts';
import { failureOf } from '../run/failures.ts';
import { addOwnFinalizer, writeStatus } from '../run/objects.ts';
import type { RecordRun } from '../run/run.ts';
import { sendChange } from '../run/send.ts';
import { bodyOf, createAtService, placeOf } from './create.ts';
import { creationAnnotationOf } from './creation-annotation.ts';
import type { DesiredValue } from './desired.ts';
import { markOfRecord } from './orphans.ts';
import { type Owned, owns, type RecordPlan } from './plan.ts';
import { type Problem, problemOf, takenValue } from './problem.ts';

interface Applied {
  owned: Owned[];
  /** The first refusal, or null. */
  problem: Problem | null;
}

/**
 * @throws the first error that is not a refusal, after all writes in progress have ended; the object then still announces every
 * creation
 */
export async function applyPlan(
  run: RecordRun,
  service: Connection,
  zoneId: string,
  plan: RecordPlan,
): Promise<Applied> {
  const { context } = run;
  const kept: Owned[] = plan.keep.map(({ id, value }) => ({ id, content: value.content, priority: value.priority }));
  const [taken] = plan.taken;
  let problem: Problem | null = taken === undefined ? null : takenValue(context, taken);
  const attempt = async (work: () => Promise<Owned | null>, otherwise: Owned | null): Promise<Owned[]> => {
    try {
      return asList(await work());
    } catch (error) {
      const failure = failureOf(error);
      if (failure?.kind !== 'refused') throw error;
      problem ??= problemOf(failure);
      return asList(otherwise);
    }
  };
  const intents = plan.create.map((value) => ({ value, intent: context.nonce() }));
  const pending = intents.map(pendingEntry);
  const isAnnounced = await addFinalizerAndAnnounce(run, zoneId, pending);
  const { object } = run;

  // Deletions go first, because some values cannot exist next to others (a null MX, RFC 7505).
  const removed = await settleAll(
    plan.remove.map((entry) =>
      attempt(async () => {
        await removeValue(run, service, zoneId, entry.id);
        return null;
      }, entry),
    ),
  );
  const managedBy = markOfRecord(object, context.cluster());
  const updated = await settleAll(
    plan.update.map(({ id, value }) => {
      const change = { action: 'update', id, record: bodyOf(object, value), managedBy } as const;
      const before = object.status?.records?.find((entry) => entry.id === id) ?? value;
      return attempt(
        async () => {
          const job = { ...placeOf(object, 'change'), ...run.call, zone: zoneId, change };
          return owns((await sendChange(service.dispatcher, context.clock, job)) as DnsRecord);
        },
        { id, content: before.content, priority: before.priority },
      );
    }),
  );
  const owned = [...kept, ...removed.flat(), ...updated.flat()];
  if (intents.length === 0) return { owned, problem };

  if (!isAnnounced) await announce(run, zoneId, [...owned, ...pending]);
  const created = await settleAll(
    intents.map(({ value, intent }) =>
      attempt(async () => owns(await createAtService(run, service, zoneId, value, intent)), null),
    ),
  );
  return { owned: [...owned, ...created.flat()], problem };
}

/** Adds the finalizer, and announces the first creations in the same write. @returns whether they are announced */
async function addFinalizerAndAnnounce(
  run: RecordRun,
  zoneId: string,
  pending: readonly LedgerEntry[],
): Promise<boolean> {
  const { object, context } = run;
  if (hasFinalizer(object, FINALIZER)) return false;
  const isFirst = pending.length > 0 && object.status?.records === undefined;
  const annotation = isFirst ? creationAnnotationOf(object, zoneId, pending, context.seal) : null;
  await addOwnFinalizer(run, annotation === null ? undefined : { [CREATION_ANNOTATION]: annotation });
  return annotation !== null;
}

function asList(owned: Owned | null): Owned[] {
  return owned === null ? [] : [owned];
}

function pendingEntry({ value, intent }: { value: DesiredValue; intent: string }): LedgerEntry {
  const { content, priority, ttl } = value;
  return { content, priority, ...(ttl === null ? {} : { ttl }), intent };
}

/** Deletes one value at the service; a value that no longer exists is a success. */
export async function removeValue(run: RecordRun, service: Connection, zoneId: string, id: string): Promise<void> {
  const change = { action: 'delete', id } as const;
  const job = { ...placeOf(run.object, 'change'), ...run.call, zone: zoneId, change };
  try {
    await sendChange(service.dispatcher, run.context.clock, job);
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
}

/** Writes the intents into the ledger before the first POST. */
async function announce(run: RecordRun, zoneId: string, records: LedgerEntry[]): Promise<void> {
  const { nextAttemptTime: _old, ...status } = run.object.status ?? { conditions: [] };
  await writeStatus(run, { ...status, zoneId, records });
}
