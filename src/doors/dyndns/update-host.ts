// Gives one host name its addresses: a change of the zone, or nothing if it has them already.
import { parseZoneName } from '#dns/names/name.ts';
import { type ParsedRecord, parseRecord } from '#dns/record.ts';
import { inOneStep } from '#dns/steps.ts';
import { equalBytes } from '#dns/wire/octets.ts';
import type { WriteBudget } from '#service/change/write-budget.ts';
import type { Caller, ServiceContext } from '#service/context.ts';
import { editRrsets } from '#service/records/edit-rrsets.ts';
import type { CurrentRrsets, OwnedChange, RrsetPlan } from '#service/records/rrsets.ts';
import { insist, Refusal } from '#service/refusal.ts';
import { findTarget } from '#service/zones/lookup.ts';
import type { Addresses } from './read.ts';
import { HOST_CODES, type RefusedHost } from './refusals.ts';

/** The TTL of a new RRset, in seconds; an existing one keeps its own. */
const TTL = 60;

/** The answer for a host name; `problem` says why it was refused. */
export interface HostAnswer {
  code: 'good' | 'nochg' | 'notfqdn' | RefusedHost;
  problem: string | null;
}

/** Called with the zone and its changes of records that have owners. */
export type OwnedListener = (zone: string, owned: readonly OwnedChange[]) => void;

/** @throws Refusal unauthorized, rate_limited, busy: the whole request is to be repeated */
export async function updateHost(
  context: ServiceContext,
  caller: Caller,
  text: string,
  addresses: Addresses,
  { budget, onOwned }: { budget: WriteBudget; onOwned: OwnedListener },
): Promise<HostAnswer> {
  // Without wildcards: an address that changes is that of one host.
  const parsed = parseZoneName(text);
  if (!parsed.ok || !parsed.value.includes('.')) {
    return { code: 'notfqdn', problem: 'hostname must be a complete name, such as home.example.com.' };
  }
  try {
    const target = await findTarget(context, caller.actor, parsed.value);
    if (target === null) return { code: 'nohost', problem: 'The name is in no zone of this key.' };
    const records = Object.entries(addresses).map(([type, content]) =>
      insist(parseRecord({ name: target.name, type, content, ttl: TTL }, target.zone.name)),
    );
    const edit = {
      names: [target.name],
      candidates: records,
      touches: records,
      namesOwners: true,
      plan: (current: CurrentRrsets) => inOneStep(() => planAddresses(records, current)),
    };
    const { answer, owned = [] } = await editRrsets(context, caller, target.zone.id, edit, budget);
    onOwned(target.zone.name, owned);
    return { code: answer, problem: null };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const code = HOST_CODES[error.code];
    if (code === undefined) throw error;
    return { code, problem: error.message };
  }
}

/** Replaces the RRset of each family that has an address; the other family stays as it is. */
function planAddresses(records: readonly ParsedRecord[], { at }: CurrentRrsets): RrsetPlan<'good' | 'nochg'> {
  const changedRrsets = records.flatMap((record) => {
    const { name, type } = record;
    const before = at(name).find((each) => each.type === type)?.records ?? [];
    const [only, ...others] = before;
    if (only !== undefined && others.length === 0 && equalBytes(only.wire, record.wire)) return [];
    return [{ name, type, records: [{ ...record, ttl: only === undefined ? TTL : only.ttl }] }];
  });
  return { rrsets: changedRrsets, answer: changedRrsets.length === 0 ? 'nochg' : 'good' };
}
