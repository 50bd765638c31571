// What to do at the service for one DNSRecord, as data. Pure.
//
//   ledger (what we own)   actual (what is there)   desired          plan
//   id                     there, a wanted value    wanted           keep, or update when the TTL differs
//   id                     there, another value     another wanted   update: one write, never a gap in between
//   id                     there                    nothing left     delete
//   id                     not there                –                forget (somebody else deleted it: drift)
//   –                      –                        wanted           create
//   –                      there, a wanted value    wanted           keep or update as its own (adopt), or conflict
//   –                      there                    –                none of our business
import type { DnsRecord } from '../client/client.ts';
import { parseRdata } from '../dns/types/index.ts';
import type { DesiredValue } from './record-desired.ts';
import { identityOf } from './record-desired.ts';
import type { LedgerEntry } from './resources/dnsrecord.ts';

/** A ledger entry whose id is known. */
export type Owned = LedgerEntry & { id: string };

/** What a record at the service is in the ledger. */
export function owns({ id, content, priority }: DnsRecord): Owned {
  return { id, content, priority };
}

export interface RecordPlan {
  keep: { id: string; value: DesiredValue }[];
  update: { id: string; value: DesiredValue }[];
  remove: Owned[];
  create: DesiredValue[];
  /** Wanted values that somebody else's record holds. */
  taken: { id: string; value: DesiredValue }[];
  /** What differs from the ledger and the TTL, in words: somebody else's doing, once all of the spec was written. */
  drift: string[];
}

export interface PlanInput {
  desired: readonly DesiredValue[];
  owned: readonly Owned[];
  /** All records of the name and type. */
  actual: readonly DnsRecord[];
  /** In force for records without a TTL, in seconds. */
  defaultTtl: number;
  /** Ids among the actual ones that may be taken over. */
  adoptable: ReadonlySet<string>;
}

export function planRecord({ desired, owned, actual, defaultTtl, adoptable }: PlanInput): RecordPlan {
  const plan: RecordPlan = { keep: [], update: [], remove: [], create: [], taken: [], drift: [] };
  const there = new Map(actual.map((record) => [record.id, { record, identity: identityOfRecord(record) }]));
  const wanted = new Map(desired.map((value) => [value.identity, value]));
  const spare: Owned[] = [];
  const hold = (record: DnsRecord, value: DesiredValue) => {
    const same = record.ttl === (value.ttl ?? defaultTtl) && record.content === value.content;
    (same ? plan.keep : plan.update).push({ id: record.id, value });
  };

  for (const entry of owned) {
    const found = there.get(entry.id);
    if (!found) {
      plan.drift.push(`${entry.content} (${entry.id}) was deleted`);
      continue;
    }
    there.delete(entry.id);
    if (found.record.content !== entry.content || found.record.priority !== entry.priority) {
      plan.drift.push(`${entry.content} (${entry.id}) was changed to ${found.record.content}`);
    }
    const value = wanted.get(found.identity);
    if (!value) {
      spare.push(entry);
      continue;
    }
    wanted.delete(found.identity);
    // Of a TTL that is the zone's default nobody can tell who changed it.
    if (value.ttl !== null && found.record.ttl !== value.ttl) {
      plan.drift.push(`${value.content} (${entry.id}) has TTL ${found.record.ttl} instead of ${value.ttl}`);
    }
    hold(found.record, value);
  }

  const foreign = new Map([...there.values()].map(({ record, identity }) => [identity, record]));
  for (const value of wanted.values()) {
    const holder = foreign.get(value.identity);
    const reusable = holder === undefined ? spare.shift() : undefined;
    // Kept without a write: a zone of a thousand records is taken over at once, not at the pace of the key. So the service
    // learns whose such a record is with its first change.
    if (holder !== undefined && adoptable.has(holder.id)) hold(holder, value);
    else if (holder !== undefined) plan.taken.push({ id: holder.id, value });
    else if (reusable) plan.update.push({ id: reusable.id, value });
    else plan.create.push(value);
  }
  plan.remove = spare;
  return plan;
}

/** A record that does not parse here equals no wanted value. */
function identityOfRecord({ id, type, content, priority }: DnsRecord): string {
  const parsed = parseRdata(type, content, priority);
  return parsed.ok ? identityOf(parsed.value.wire) : id;
}
