// Carries out a plan: deletions, updates, creations, each value by itself, so that one refused value leaves the others
// live. What is owned afterwards is the new ledger.
import type { DnsRecord } from '../client/client.ts';
import { isAbsent } from '../client/errors.ts';
import type { Clock } from '../kube/clock.ts';
import type { ReconcileContext } from '../kube/controller.ts';
import { hasFinalizer } from '../kube/finalizer.ts';
import { keyOf } from '../kube/resource.ts';
import { BY_RECORD_ID, type House, markOf, withFinalizer, writeStatus } from './house.ts';
import { BIRTH, FINALIZER } from './names.ts';
import { birthOf } from './record-birth.ts';
import { bodyOf, createAtService, laneOf } from './record-create.ts';
import type { DesiredValue } from './record-desired.ts';
import { type Owned, owns, type RecordPlan } from './record-plan.ts';
import { statusOfRecord } from './record-status.ts';
import { DNS_RECORD, type DNSRecord, type LedgerEntry } from './resources/dnsrecord.ts';
import { sendChange } from './send.ts';
import { settled } from './settled.ts';
import { type Trouble, troubleOf } from './trouble.ts';

export interface ApplyInput {
  zoneId: string;
  plan: RecordPlan;
  /** Hears of the object as it is after the finalizer or the intents were written. */
  written(object: DNSRecord): void;
}

export interface Outcome {
  object: DNSRecord;
  owned: Owned[];
  /** The first refusal, when there was one. */
  problem: Pick<Trouble, 'reason' | 'message'> | null;
}

/**
 * @throws what is not the user's own mistake, when all that was under way has ended; every creation then is still announced
 * in the object
 */
export async function applyPlan(
  house: House,
  clock: Clock,
  object: DNSRecord,
  input: ApplyInput,
  context: ReconcileContext,
): Promise<Outcome> {
  const { zoneId, plan } = input;
  const { signal, reconcileId: requestId } = context;
  const kept: Owned[] = plan.keep.map(({ id, value }) => ({ id, content: value.content, priority: value.priority }));
  let problem: Outcome['problem'] =
    plan.taken.length === 0 ? null : conflictWith(house, plan.taken[0] as { id: string; value: DesiredValue });
  const attempt = async (work: () => Promise<Owned | null>, otherwise: Owned | null): Promise<Owned[]> => {
    try {
      return asList(await work());
    } catch (error) {
      const trouble = isAbsent(error) ? null : troubleOf(error);
      if (trouble?.kind !== 'refused') throw error;
      problem ??= trouble;
      return asList(otherwise);
    }
  };
  const intents = plan.create.map((value) => ({ value, intent: house.nonce() }));
  const pending = intents.map(pendingEntry);
  const born = hasFinalizer(object, FINALIZER)
    ? { object, isAnnounced: false }
    : await beginLife(house, object, zoneId, pending, signal);
  if (born.object !== object) input.written(born.object);

  // First what goes: some values cannot stand beside others (a null MX, RFC 7505). What is updated or kept stays meanwhile.
  const removed = await settled(
    plan.remove.map((entry) =>
      attempt(async () => {
        await removeValue(house, clock, born.object, zoneId, entry.id, context);
        return null;
      }, entry),
    ),
  );
  const managedBy = markOf('DNSRecord', object);
  const updated = await settled(
    plan.update.map(({ id, value }) => {
      const change = { action: 'update', id, record: bodyOf(object, value), managedBy } as const;
      const before = object.status?.records?.find((entry) => entry.id === id) ?? value;
      return attempt(
        async () => {
          const job = { lane: laneOf(object, 'change'), zone: zoneId, signal, requestId, change };
          return owns((await sendChange(house.dispatcher, clock, job)) as DnsRecord);
        },
        { id, content: before.content, priority: before.priority },
      );
    }),
  );
  const owned = [...kept, ...removed.flat(), ...updated.flat()];
  if (intents.length === 0) return { object: born.object, owned, problem };

  const announced = born.isAnnounced ? born.object : await announce(house, born.object, zoneId, owned, pending, signal);
  if (announced !== born.object) input.written(announced);
  const created = await settled(
    intents.map(({ value, intent }) =>
      attempt(
        async () => owns(await createAtService(house, clock, announced, zoneId, value, intent, requestId, signal)),
        null,
      ),
    ),
  );
  return { object: announced, owned: [...owned, ...created.flat()], problem };
}

/** The finalizer, and in the same write what is about to be created. */
async function beginLife(
  house: House,
  object: DNSRecord,
  zoneId: string,
  pending: readonly LedgerEntry[],
  signal: AbortSignal,
): Promise<{ object: DNSRecord; isAnnounced: boolean }> {
  const isFirst = pending.length > 0 && object.status?.records === undefined;
  const birth = isFirst ? birthOf(object, zoneId, pending, house.seal) : null;
  const annotations = birth === null ? undefined : { [BIRTH]: birth };
  const held = await withFinalizer(house, house.records, DNS_RECORD, object, signal, annotations);
  return { object: held, isAnnounced: birth !== null };
}

function asList(owned: Owned | null): Owned[] {
  return owned === null ? [] : [owned];
}

function pendingEntry({ value, intent }: { value: DesiredValue; intent: string }): LedgerEntry {
  const { content, priority, ttl } = value;
  return { content, priority, ...(ttl === null ? {} : { ttl }), intent };
}

/** Deletes one value at the service; what is gone already is fine. */
export async function removeValue(
  house: House,
  clock: Clock,
  object: DNSRecord,
  zoneId: string,
  id: string,
  context: ReconcileContext,
): Promise<void> {
  const { signal, reconcileId: requestId } = context;
  const change = { action: 'delete', id } as const;
  const job = { lane: laneOf(object, 'change'), zone: zoneId, signal, requestId, change };
  try {
    await sendChange(house.dispatcher, clock, job);
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
}

/** Writes the intents into the ledger, before the first POST. */
function announce(
  house: House,
  object: DNSRecord,
  zoneId: string,
  owned: readonly Owned[],
  pending: readonly LedgerEntry[],
  signal: AbortSignal,
): Promise<DNSRecord> {
  const status = { ...statusOfRecord(object), zoneId, records: [...owned, ...pending] };
  return writeStatus(house, house.records, DNS_RECORD, object, status, signal);
}

function conflictWith(
  house: House,
  { id, value }: { id: string; value: DesiredValue },
): Pick<Trouble, 'reason' | 'message'> {
  const holder = house.records.byIndex(BY_RECORD_ID, id)[0];
  const message = holder
    ? `DNSRecord ${keyOf(holder)} owns ${value.content} already; delete one of the two.`
    : `The DNS service has ${value.content} already (${id}), made by somebody else. Delete it there, or set spec.adopt: IfIdentical to take it over.`;
  return { reason: 'Conflict', message };
}
