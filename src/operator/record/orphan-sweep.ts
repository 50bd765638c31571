// Removes the records in a zone whose DNSRecord no longer exists (see orphans.ts). It checks the whole zone when the process
// starts, and every ten minutes if the zone has changed. It checks single names soon after an object of another namespace
// disappears from the cluster.

import type { Clock } from '#base/clock.ts';
import type { ListedRecord, RecordFilter, Zone } from '#client/client.ts';
import { isAbsent } from '#client/errors.ts';
import { parseOwnerName } from '#dns/names/name.ts';
import { isNotFound } from '#kube/api/errors.ts';
import { keyOf, splitKey } from '#kube/objects/resource.ts';
import { DNS_RECORD, type DNSRecord } from '#resources/dnsrecord.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import { REMOVE_ORPHANS } from '#resources/names.ts';
import { isInOwnNamespace, zoneKeyOf } from '#resources/zone-ref.ts';
import { BY_RECORD_ID, type OperatorContext } from '../access/context.ts';
import type { Connection } from '../access/credentials.ts';
import type { ZoneRun } from '../run/run.ts';
import { sendChange } from '../run/send.ts';
import { CHECK_INTERVAL_MS } from '../zone/drift.ts';
import { ledgerOf } from './creation-annotation.ts';
import { findOrphanCandidates, isPlausible, type Known, MARK, type OrphanCandidate } from './orphans.ts';

const PAGE = 200;
/** The number of orphans that one check handles; a later check finds the others. */
const MAX_CANDIDATES = 1_000;
const RETRY_MS = 5_000;
const SHOWN = 5;

interface Due {
  /** The time of the next check of the whole zone, in ms of the clock. */
  at: number;
  /** The serial of the zone at the last check of the whole zone; null: check for every serial. */
  serial: number | null;
  /** The names and types of objects that have disappeared since. */
  readonly places: Map<string, Pick<DNSRecord['spec'], 'name' | 'type'>>;
}

export interface OrphanSweep {
  /** An object has disappeared from the cluster. @returns whether its zone needs a check */
  gone(object: DNSRecord): boolean;
  /** Checks the zone when a check is due. @throws errors of the service and of the API server; the check is then still due */
  check(run: ZoneRun, service: Connection, zone: Zone): Promise<void>;
  /** The time until the next check, in ms. */
  dueIn(key: string): number;
  forget(key: string): void;
}

/** @param random returns 0 ≤ x < 1; it spreads the checks of zones that started at the same time */
export function createOrphanSweep(clock: Clock, random: () => number): OrphanSweep {
  const dues = new Map<string, Due>();
  const dueOf = (key: string): Due => {
    const due = dues.get(key) ?? { at: clock.now(), serial: null, places: new Map() };
    dues.set(key, due);
    return due;
  };
  return {
    gone: (object) => {
      if (isInOwnNamespace(object)) return false;
      const { name, type } = object.spec;
      dueOf(zoneKeyOf(object)).places.set(`${type} ${name}`, { name, type });
      return true;
    },
    check: async (run, service, zone) => {
      const { context, object } = run;
      const cluster = context.cluster();
      if (cluster === undefined) return;
      const due = dueOf(keyOf(object));
      const isWhole = due.at <= clock.now();
      if (!isWhole && due.places.size === 0) return;
      const places = [...due.places];
      if (!isWhole || due.serial !== zone.serial || places.length > 0) {
        const filters =
          isWhole && due.serial !== zone.serial
            ? [{}]
            : filtersOf(
                places.map(([, place]) => place),
                zone,
              );
        const known = knownFacts(context, object, cluster);
        const found = await findIn(run, service, zone, filters, known);
        if (found.candidates.length > 0) await removeOrphans(run, service, zone, found);
      }
      for (const [place] of places) due.places.delete(place);
      if (!isWhole) return;
      due.serial = zone.serial;
      due.at = clock.now() + CHECK_INTERVAL_MS * (1 + random() / 10);
    },
    dueIn: (key) => {
      const due = dues.get(key);
      if (due === undefined) return CHECK_INTERVAL_MS;
      return due.places.size > 0 ? RETRY_MS : Math.max(0, due.at - clock.now());
    },
    forget: (key) => void dues.delete(key),
  };
}

function knownFacts(context: OperatorContext, { metadata }: DNSZone, cluster: string): Known {
  return {
    cluster,
    namespace: metadata.namespace ?? '',
    watches: context.watches,
    isOwned: (id) => context.records.byIndex(BY_RECORD_ID, id).length > 0,
    isExpecting: (key) => {
      const record = context.records.get(key);
      return record !== undefined && ledgerOf(record, context.seal).entries.some(({ id }) => id === undefined);
    },
  };
}

function filtersOf(places: readonly Pick<DNSRecord['spec'], 'name' | 'type'>[], zone: Zone): RecordFilter[] {
  return places.flatMap(({ name, type }) => {
    const parsed = parseOwnerName(name, zone.zoneName, type);
    return parsed.ok ? [{ name: parsed.value, type }] : [];
  });
}

interface Found {
  foreign: number;
  candidates: OrphanCandidate[];
}

async function findIn(
  run: ZoneRun,
  { client }: Connection,
  zone: Zone,
  filters: readonly RecordFilter[],
  known: Known,
): Promise<Found> {
  const found: Found = { foreign: 0, candidates: [] };
  for (const filter of filters) {
    const pages = client.records.pages(zone.id, { ...filter, managedBy: MARK }, PAGE, run.call);
    for await (const page of pages) {
      const { foreign, candidates } = findOrphanCandidates(page as readonly ListedRecord[], known);
      found.foreign += foreign;
      found.candidates.push(...candidates.slice(0, MAX_CANDIDATES - found.candidates.length));
    }
  }
  return found;
}

/** Removes the candidates that are proven to be orphans, or reports that there are too many. */
async function removeOrphans(
  run: ZoneRun,
  { dispatcher }: Connection,
  zone: Zone,
  { foreign, candidates }: Found,
): Promise<void> {
  const { context, object, signal } = run;
  const mayBeMany = object.metadata.annotations?.[REMOVE_ORPHANS] === 'true';
  if (!mayBeMany && !isPlausible(candidates.length, foreign)) {
    run.observations.push({ kind: 'orphans', result: 'kept', count: candidates.length });
    const note =
      `${candidates.length} of ${foreign} records of other namespaces no longer have a DNSRecord: ${listed(candidates)}. The operator ` +
      `does not remove so many records by itself. To remove them, annotate this object with ${REMOVE_ORPHANS}=true.`;
    run.log.error({ candidates: candidates.length, foreign }, 'too many records without a DNSRecord; none was removed');
    run.events.push({
      type: 'Warning',
      reason: 'OrphansKept',
      action: 'Look',
      note: note.slice(0, 1_024),
    });
    return;
  }
  const removed: OrphanCandidate[] = [];
  for (const [owner, records] of Map.groupBy(candidates, (candidate) => candidate.owner)) {
    const own = await idsOf(context, owner, signal);
    for (const candidate of records) {
      if (own === 'unknown' || own.has(candidate.id)) continue;
      const change = { action: 'delete', id: candidate.id } as const;
      const group = splitKey(owner).namespace ?? '';
      try {
        await sendChange(dispatcher, context.clock, { lane: 'change', group, ...run.call, zone: zone.id, change });
      } catch (error) {
        if (!isAbsent(error)) throw error;
      }
      removed.push(candidate);
    }
  }
  if (removed.length === 0) return;
  run.observations.push({ kind: 'orphans', result: 'removed', count: removed.length });
  const note = `The operator removed records from DNS, because their DNSRecord in another namespace no longer exists: ${listed(removed)}`;
  run.events.push({
    type: 'Warning',
    reason: 'Withdrawn',
    action: 'Withdraw',
    note: note.slice(0, 1_024),
  });
}

/** Returns the ids in the ledger of an object from the API server, because the cache may be outdated. */
async function idsOf(
  context: OperatorContext,
  key: string,
  signal: AbortSignal,
): Promise<ReadonlySet<string> | 'unknown'> {
  const { namespace = '', name } = splitKey(key);
  try {
    const { entries } = ledgerOf(
      await context.api.get<DNSRecord>(DNS_RECORD, { namespace, name }, signal),
      context.seal,
    );
    if (entries.some(({ id }) => id === undefined)) return 'unknown';
    return new Set(entries.flatMap(({ id }) => id ?? []));
  } catch (error) {
    if (isNotFound(error)) return new Set();
    throw error;
  }
}

function listed(candidates: readonly OrphanCandidate[]): string {
  const shown = candidates.slice(0, SHOWN).map(({ name, type, owner }) => `${name} ${type} (DNSRecord ${owner})`);
  return shown.join(', ') + (candidates.length > SHOWN ? ' and others' : '');
}
