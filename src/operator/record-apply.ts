// Carries out a plan: deletions, updates, creations, each value by itself, so that one refused value leaves the others
// live. What is owned afterwards is the new ledger.
import { isAbsent } from '../client/errors.ts';
import type { Clock } from '../kube/clock.ts';
import type { ReconcileContext } from '../kube/controller.ts';
import { keyOf } from '../kube/resource.ts';
import { BY_RECORD_ID, type House, writeStatus } from './house.ts';
import { bodyOf, createAtService, laneOf } from './record-create.ts';
import type { DesiredValue } from './record-desired.ts';
import type { Owned, RecordPlan } from './record-plan.ts';
import { statusOfRecord } from './record-status.ts';
import { DNS_RECORD, type DNSRecord, type LedgerEntry } from './resources/dnsrecord.ts';
import { send } from './send.ts';
import { type Trouble, troubleOf } from './trouble.ts';

export interface ApplyInput {
  zoneId: string;
  plan: RecordPlan;
  /** Hears of the object as it is after the intents were written. */
  written(object: DNSRecord): void;
}

export interface Outcome {
  object: DNSRecord;
  owned: Owned[];
  /** The first refusal, when there was one. */
  problem: Pick<Trouble, 'reason' | 'message'> | null;
}

/** @throws what is not the user's own mistake; the ledger in the status then still holds every intent */
export async function applyPlan(
  house: House,
  clock: Clock,
  object: DNSRecord,
  input: ApplyInput,
  context: ReconcileContext,
): Promise<Outcome> {
  const { zoneId, plan } = input;
  const { signal, reconcileId: requestId } = context;
  const owned: Owned[] = [...plan.keep].map(({ id, value }) => ({
    id,
    content: value.content,
    priority: value.priority,
  }));
  let problem: Outcome['problem'] =
    plan.taken.length === 0 ? null : conflictWith(house, plan.taken[0] as { id: string; value: DesiredValue });
  const attempt = async (work: () => Promise<void>, otherwise: () => void) => {
    try {
      await work();
    } catch (error) {
      const trouble = isAbsent(error) ? null : troubleOf(error);
      if (trouble?.kind !== 'refused') throw error;
      problem ??= trouble;
      otherwise();
    }
  };
  const write = <T>(run: (signal: AbortSignal) => Promise<T>) =>
    send(house.dispatcher, clock, { lane: laneOf(object, 'change'), zone: zoneId, signal, run });

  // First what goes: some values cannot stand beside others (a null MX, RFC 7505). What is updated or kept stays meanwhile.
  for (const entry of plan.remove) {
    await attempt(
      async () => removeValue(house, clock, object, zoneId, entry.id, context),
      () => owned.push(entry),
    );
  }
  for (const { id, value } of plan.update) {
    const before = object.status?.records?.find((entry) => entry.id === id);
    await attempt(
      async () => {
        const body = bodyOf(object, value);
        const record = await write((limit) =>
          house.client.records.update(zoneId, id, body, { signal: limit, requestId }),
        );
        owned.push({ id, content: record.content, priority: record.priority });
      },
      () => owned.push({ id, content: before?.content ?? value.content, priority: before?.priority ?? value.priority }),
    );
  }
  if (plan.create.length === 0) return { object, owned, problem };

  const intents = plan.create.map((value) => ({ value, intent: house.nonce() }));
  const announced = await announce(house, object, zoneId, owned, intents, signal);
  input.written(announced);
  for (const { value, intent } of intents) {
    await attempt(
      async () => {
        const record = await createAtService(house, clock, announced, zoneId, value, intent, requestId, signal);
        owned.push({ id: record.id, content: record.content, priority: record.priority });
      },
      () => undefined,
    );
  }
  return { object: announced, owned, problem };
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
  try {
    await send(house.dispatcher, clock, {
      lane: laneOf(object, 'change'),
      zone: zoneId,
      signal,
      run: (attempt) => house.client.records.delete(zoneId, id, { signal: attempt, requestId }),
    });
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
}

/** Writes the intents into the ledger, before the first POST. */
async function announce(
  house: House,
  object: DNSRecord,
  zoneId: string,
  owned: readonly Owned[],
  intents: readonly { value: DesiredValue; intent: string }[],
  signal: AbortSignal,
): Promise<DNSRecord> {
  const pending: LedgerEntry[] = intents.map(({ value, intent }) => ({
    content: value.content,
    priority: value.priority,
    ...(value.ttl === null ? {} : { ttl: value.ttl }),
    intent,
  }));
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
