// Plans the changes at the service for one DNSRecord, as data.
//
//   ledger (owned)   actual (at the service)   desired         plan
//   id               exists, desired value     desired         keep, or update when the TTL differs
//   id               exists, another value     another value   update: one write, so that the name is never without a value
//   id               exists                    –               delete
//   id               missing                   –               forget (another client deleted it: drift)
//   –                –                         desired         create
//   –                exists, desired value     desired         keep or update it as owned (adopt), or conflict
//   –                exists                    –               ignore
import type { DnsRecord } from '#client/client.ts';
import { parseRdata } from '#dns/types/index.ts';
import type { LedgerEntry } from '#resources/dnsrecord.ts';
import type { DesiredValue } from './desired.ts';
import { identityOf } from './desired.ts';

/** A ledger entry whose id is known. */
export type Owned = LedgerEntry & { id: string };

/** The ledger entry of a record at the service. */
export function owns({ id, content, priority }: DnsRecord): Owned {
  return { id, content, priority };
}

export interface RecordPlan {
  keep: { id: string; value: DesiredValue }[];
  update: { id: string; value: DesiredValue }[];
  remove: Owned[];
  create: DesiredValue[];
  /** Desired values that records outside the ledger have. */
  taken: { id: string; value: DesiredValue }[];
  /** Descriptions of the differences from the ledger; once the whole spec was written, another client caused them. */
  drift: string[];
}

interface PlanInput {
  desired: readonly DesiredValue[];
  owned: readonly Owned[];
  /** All records with the name and type of the object. */
  actual: readonly DnsRecord[];
  /** The TTL of records that set none, in seconds. */
  defaultTtl: number;
  /** The ids of the actual records that the object may take over. */
  adoptable: ReadonlySet<string>;
}

export function planRecord({ desired, owned, actual, defaultTtl, adoptable }: PlanInput): RecordPlan {
  const plan: RecordPlan = { keep: [], update: [], remove: [], create: [], taken: [], drift: [] };
  const remaining = new Map(actual.map((record) => [record.id, { record, identity: identityOfRecord(record) }]));
  const wanted = new Map(desired.map((value) => [value.identity, value]));
  const unneeded: Owned[] = [];
  const keepOrUpdate = (record: DnsRecord, value: DesiredValue) => {
    const same = record.ttl === (value.ttl ?? defaultTtl) && record.content === value.content;
    (same ? plan.keep : plan.update).push({ id: record.id, value });
  };

  for (const entry of owned) {
    const found = remaining.get(entry.id);
    if (!found) {
      plan.drift.push(`${entry.content} (${entry.id}) was deleted`);
      continue;
    }
    remaining.delete(entry.id);
    if (found.record.content !== entry.content || found.record.priority !== entry.priority) {
      plan.drift.push(`${entry.content} (${entry.id}) was changed to ${valueText(found.record)}`);
    }
    const value = wanted.get(found.identity);
    if (!value) {
      unneeded.push(entry);
      continue;
    }
    wanted.delete(found.identity);
    // A TTL that follows the default of the zone may have changed with that default, which is no drift.
    if (value.ttl !== null && found.record.ttl !== value.ttl) {
      plan.drift.push(`${value.content} (${entry.id}) has TTL ${found.record.ttl} instead of ${value.ttl}`);
    }
    keepOrUpdate(found.record, value);
  }

  const foreign = new Map([...remaining.values()].map(({ record, identity }) => [identity, record]));
  for (const value of wanted.values()) {
    const holder = foreign.get(value.identity);
    const replaced = holder === undefined ? unneeded.shift() : undefined;
    // An adopted record is kept without a write, so that write limits do not slow down the adoption of a large zone. The
    // service learns the owner of the record with its first change.
    if (holder !== undefined && adoptable.has(holder.id)) keepOrUpdate(holder, value);
    else if (holder !== undefined) plan.taken.push({ id: holder.id, value });
    else if (replaced) plan.update.push({ id: replaced.id, value });
    else plan.create.push(value);
  }
  plan.remove = unneeded;
  return plan;
}

function valueText({ content, priority }: Pick<DnsRecord, 'content' | 'priority'>): string {
  return priority === null ? content : `${priority} ${content}`;
}

/** A record that the operator cannot parse equals no desired value. */
function identityOfRecord({ id, type, content, priority }: DnsRecord): string {
  const parsed = parseRdata(type, content, priority);
  return parsed.ok ? identityOf(parsed.value.wire) : id;
}
