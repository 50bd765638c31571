// Carries out a plan: deletions, then updates, then creations. Each value is a change of its own, so that one refused value does
// not affect the others. The result is the new ledger.

import type { Clock } from '#base/clock.ts';
import { settleAll } from '#base/settle-all.ts';
import type { DnsRecord } from '#client/client.ts';
import { isAbsent } from '#client/errors.ts';
import type { ReconcileContext } from '#kube/controller/controller.ts';
import { hasFinalizer } from '#kube/objects/finalizer.ts';
import { DNS_RECORD, type DNSRecord, type LedgerEntry } from '#resources/dnsrecord.ts';
import { CREATION_ANNOTATION, FINALIZER } from '#resources/names.ts';
import { type OperatorContext, withFinalizer, writeStatus } from '../access/context.ts';
import { failureOf } from '../run/failures.ts';
import { sendChange } from '../run/send.ts';
import { bodyOf, createAtService, placeOf } from './create.ts';
import { creationAnnotationOf } from './creation-annotation.ts';
import type { DesiredValue } from './desired.ts';
import { markOfRecord } from './orphans.ts';
import { type Owned, owns, type RecordPlan } from './plan.ts';
import { type Problem, problemOf, takenValue } from './problem.ts';
import { statusOfRecord } from './status.ts';

interface ApplyInput {
  zoneId: string;
  plan: RecordPlan;
  /** Receives the object after the finalizer or the intents were written. */
  written(object: DNSRecord): void;
}

export interface Outcome {
  object: DNSRecord;
  owned: Owned[];
  /** The first refusal, or null. */
  problem: Problem | null;
}

/**
 * @throws the first error that is not a refusal, after all writes in progress have ended; the object then still announces every
 * creation
 */
export async function applyPlan(
  context: OperatorContext,
  clock: Clock,
  object: DNSRecord,
  input: ApplyInput,
  run: ReconcileContext,
): Promise<Outcome> {
  const { zoneId, plan } = input;
  const { signal, reconcileId: requestId } = run;
  const kept: Owned[] = plan.keep.map(({ id, value }) => ({ id, content: value.content, priority: value.priority }));
  let problem: Outcome['problem'] =
    plan.taken.length === 0 ? null : takenValue(context, plan.taken[0] as { id: string; value: DesiredValue });
  const attempt = async (work: () => Promise<Owned | null>, otherwise: Owned | null): Promise<Owned[]> => {
    try {
      return asList(await work());
    } catch (error) {
      const failure = isAbsent(error) ? null : failureOf(error);
      if (failure?.kind !== 'refused') throw error;
      problem ??= problemOf(failure);
      return asList(otherwise);
    }
  };
  const intents = plan.create.map((value) => ({ value, intent: context.nonce() }));
  const pending = intents.map(pendingEntry);
  const started = hasFinalizer(object, FINALIZER)
    ? { object, isAnnounced: false }
    : await addFinalizerAndAnnounce(context, object, zoneId, pending, signal);
  if (started.object !== object) input.written(started.object);

  // Deletions go first, because some values cannot exist next to others (a null MX, RFC 7505).
  const removed = await settleAll(
    plan.remove.map((entry) =>
      attempt(async () => {
        await removeValue(context, clock, started.object, zoneId, entry.id, run);
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
          const job = { ...placeOf(object, 'change'), zone: zoneId, signal, requestId, change };
          return owns((await sendChange(context.dispatcher, clock, job)) as DnsRecord);
        },
        { id, content: before.content, priority: before.priority },
      );
    }),
  );
  const owned = [...kept, ...removed.flat(), ...updated.flat()];
  if (intents.length === 0) return { object: started.object, owned, problem };

  const announced = started.isAnnounced
    ? started.object
    : await announce(context, started.object, zoneId, owned, pending, signal);
  if (announced !== started.object) input.written(announced);
  const created = await settleAll(
    intents.map(({ value, intent }) =>
      attempt(
        async () => owns(await createAtService(context, clock, announced, zoneId, value, intent, requestId, signal)),
        null,
      ),
    ),
  );
  return { object: announced, owned: [...owned, ...created.flat()], problem };
}

/** Adds the finalizer, and announces the creations in the same write. */
async function addFinalizerAndAnnounce(
  context: OperatorContext,
  object: DNSRecord,
  zoneId: string,
  pending: readonly LedgerEntry[],
  signal: AbortSignal,
): Promise<{ object: DNSRecord; isAnnounced: boolean }> {
  const isFirst = pending.length > 0 && object.status?.records === undefined;
  const annotation = isFirst ? creationAnnotationOf(object, zoneId, pending, context.seal) : null;
  const annotations = annotation === null ? undefined : { [CREATION_ANNOTATION]: annotation };
  const held = await withFinalizer(context, context.records, DNS_RECORD, object, signal, annotations);
  return { object: held, isAnnounced: annotation !== null };
}

function asList(owned: Owned | null): Owned[] {
  return owned === null ? [] : [owned];
}

function pendingEntry({ value, intent }: { value: DesiredValue; intent: string }): LedgerEntry {
  const { content, priority, ttl } = value;
  return { content, priority, ...(ttl === null ? {} : { ttl }), intent };
}

/** Deletes one value at the service; a value that no longer exists is a success. */
export async function removeValue(
  context: OperatorContext,
  clock: Clock,
  object: DNSRecord,
  zoneId: string,
  id: string,
  run: ReconcileContext,
): Promise<void> {
  const { signal, reconcileId: requestId } = run;
  const change = { action: 'delete', id } as const;
  const job = { ...placeOf(object, 'change'), zone: zoneId, signal, requestId, change };
  try {
    await sendChange(context.dispatcher, clock, job);
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
}

/** Writes the intents into the ledger before the first POST. */
function announce(
  context: OperatorContext,
  object: DNSRecord,
  zoneId: string,
  owned: readonly Owned[],
  pending: readonly LedgerEntry[],
  signal: AbortSignal,
): Promise<DNSRecord> {
  const status = { ...statusOfRecord(object), zoneId, records: [...owned, ...pending] };
  return writeStatus(context, context.records, DNS_RECORD, object, status, signal);
}
