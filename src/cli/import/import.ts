// `zonestead import`: reads each zone of the sources, shows the plan, and sends it. A zone that fails does not stop the
// others.

import { realClock } from '#base/clock.ts';
import { formatError } from '#base/error-text.ts';
import { ApiError } from '#client/errors.ts';
import { fetchRecords, fetchZones } from '#client/lists.ts';
import { MAX_CHANGES } from '#contract/batch.ts';
import { getAccount } from '#contract/operations/account.ts';
import type { Zone } from '#contract/zone.ts';
import { DEFAULT_TTL } from '#dns/record.ts';
import type { Child } from '#dns/rules/zone-check.ts';
import { finishInTurns } from '#dns/steps.ts';
import type { ForceOption } from '../options.ts';
import { show } from '../output.ts';
import { confirmOwned, ownedLines, ownedNotice } from '../rest/owned.ts';
import { type Session, withHint } from '../rest/session.ts';
import { applyPlan, requestSizes } from './apply.ts';
import { countImportCost } from './cost.ts';
import { checkDnssecKey, type DnssecKeyOptions, readDnssecKeys, type ZoneKeyFile } from './dnssec-keys.ts';
import { giveToOwners } from './own.ts';
import type { Pace } from './pace.ts';
import { type ImportPlan, type PlanContext, planSteps, type StoredRecord } from './plan.ts';
import { type ReadOptions, type ReadZone, type Remark, readSteps } from './read.ts';
import { type RegistryOptions, unusedRegistry, useRegistry } from './registry.ts';
import { buildZoneReport, reportLines, type ZoneReport } from './report.ts';
import type { SourceZone } from './source.ts';
import { createTargetZone, removeCreated } from './target.ts';

export interface ImportOptions extends RegistryOptions, ForceOption, DnssecKeyOptions {
  /** Turns the TXT registry of external-dns into owners. */
  externalDns?: boolean;
  dryRun?: boolean;
  create?: boolean;
  owner?: string;
  skipUnsupported?: boolean;
  skipRefused?: boolean;
}

/** The session of an import, for all its zones. */
interface Importing extends Session, Pace {
  /** The zones of the key, to which a new one is added: another source may have more of its records. */
  own: Zone[];
  /** The record writes of the key in 60 seconds; null: no limit. */
  limit: number | null;
  /** Those of the command line. Each belongs to one zone. */
  keys: readonly ZoneKeyFile[];
}

/**
 * @returns whether all zones were imported, or would be
 * @throws Error if the service does not answer or does not accept the key, or no source has the zone of a DNSSEC key
 */
export async function importZones(
  session: Session,
  sources: AsyncIterable<SourceZone>,
  options: ImportOptions,
): Promise<boolean> {
  const { client, signal } = session;
  const reports: ZoneReport[] = [];
  const keys = await readDnssecKeys(options, signal);
  const own = await fetchZones(client, {}, { signal });
  const { key } = await client.call(getAccount, {}, { signal });
  const importing: Importing = { ...session, clock: realClock, own, limit: key.recordWrites, keys };
  for await (const source of sources) {
    const report = await importZone(importing, source, options);
    reports.push(report);
    if (session.format === 'table')
      for (const line of reportLines(report, options.dryRun === true)) session.print(line);
  }
  await show(session, { zones: reports }, () => undefined);
  const unused = keys.find(({ zone }) => reports.every((report) => report.zone !== zone));
  if (unused !== undefined) throw new Error(`${unused.path}: no source has the zone ${unused.zone} of this key`);
  return reports.every(
    ({ outcome, refused }) => outcome === 'imported' || (outcome === 'planned' && refused.length === 0),
  );
}

async function importZone(session: Importing, source: SourceZone, options: ImportOptions): Promise<ZoneReport> {
  const { signal, own } = session;
  const zone = own.find(({ zoneName }) => zoneName === source.zone);
  const children: Child[] = own
    .filter(({ zoneName }) => zoneName.endsWith(`.${source.zone}`))
    .map(({ id, zoneName }) => ({ id, name: zoneName }));
  const defaultTtl = zone?.defaultTtl ?? DEFAULT_TTL;
  const read = await readZone(source, { ...options, defaultTtl, children }, signal);
  const { records: stored, etag } = zone === undefined ? { records: [] } : await readStored(session, zone.id);
  const context = { zone: source.zone, defaultTtl, children };
  const plan = await finishInTurns(planSteps(read, stored, context), signal);
  const cost = countImportCost(requestSizes({ isEmpty: stored.length === 0 }, plan), session.limit);
  const report = { ...buildZoneReport(read, plan, 'planned'), ...(cost === null ? {} : { cost }) };
  if (options.skipRefused) {
    report.skipped = [...report.skipped, ...report.refused];
    report.refused = [];
  }
  const missing = describeMissingZone(zone, report.zone, options);
  const key = session.keys.find((file) => file.zone === source.zone);
  const judged = key === undefined ? null : await judgeKey(session, key, source, zone?.id);
  if (judged?.note !== undefined) report.notes = [judged.note, ...report.notes];
  const problem = missing ?? judged?.problem ?? describeUnnamedZone(source, plan, stored);
  if (options.dryRun) {
    const notes = problem === null ? [] : [{ place: 'zone', message: problem }];
    return { ...report, notes: [...notes, ...ownedNotes(plan), ...report.notes] };
  }
  if (missing === null && report.refused.length > 0) return { ...report, outcome: 'refused' };
  if (problem !== null) return { ...report, outcome: 'failed', problem };
  const refused = await askAboutOwned(session, plan, options);
  if (refused !== null) return { ...report, outcome: 'failed', problem: refused };
  return send(session, { read, plan, zone, stored, etag, report, context, key }, options);
}

async function judgeKey(session: Session, key: ZoneKeyFile, source: SourceZone, id: string | undefined) {
  try {
    return { note: await checkDnssecKey(session, key, source, id) };
  } catch (error) {
    session.signal.throwIfAborted();
    return { problem: formatError(error) };
  }
}

/** The records of the plan whose change an owner may revert. */
function ownedNotes({ update }: ImportPlan): Remark[] {
  return update.flatMap(({ found: { place }, stored }) =>
    ownedLines([stored]).map((line) => ({ place, message: ownedNotice(line) })),
  );
}

/** Asks before records of owners are changed. @returns why this zone is not imported; null: it may be */
async function askAboutOwned(
  { signal }: Session,
  { update }: ImportPlan,
  options: ForceOption,
): Promise<string | null> {
  try {
    await confirmOwned(
      update.map(({ stored }) => stored),
      options,
      signal,
    );
    return null;
  } catch (error) {
    signal.throwIfAborted();
    return formatError(error);
  }
}

async function readStored(
  { client, signal }: Session,
  id: string,
): Promise<{ records: StoredRecord[]; etag?: string }> {
  let etag: string | undefined;
  const onEtag = (given: string | null) => {
    etag ??= given ?? undefined;
  };
  const records = await fetchRecords(client, id, { owners: true }, { signal, onEtag });
  return { records, ...(etag === undefined ? {} : { etag }) };
}

async function readZone(
  source: SourceZone,
  options: ReadOptions & ImportOptions,
  signal: AbortSignal,
): Promise<ReadZone> {
  const read = await finishInTurns(readSteps(source, options), signal);
  if (options.externalDns) return useRegistry(read, options);
  const remark = unusedRegistry(read);
  return remark === null ? read : { ...read, notes: [...read.notes, remark] };
}

function describeMissingZone(zone: Zone | undefined, name: string, { create }: ImportOptions): string | null {
  return zone !== undefined || create ? null : `The API key sees no zone ${name}; --create creates it.`;
}

/**
 * The author of a zone file must not choose the zone: without --zone, it may add to a zone only if it has all of its
 * records.
 */
function describeUnnamedZone(
  { isNamedByText }: SourceZone,
  plan: ImportPlan,
  { length }: readonly StoredRecord[],
): string | null {
  if (!isNamedByText || plan.unchanged.length + plan.update.length >= length) return null;
  return 'The zone has other records, and only the text of the file names it; give --zone if the file is of this zone.';
}

interface Work {
  read: ReadZone;
  plan: ImportPlan;
  zone: Zone | undefined;
  stored: readonly StoredRecord[];
  etag: string | undefined;
  report: ZoneReport;
  context: PlanContext;
  /** With which a zone is created. */
  key: ZoneKeyFile | undefined;
}

async function send(session: Importing, work: Work, options: ImportOptions): Promise<ZoneReport> {
  const { plan, report } = work;
  try {
    const zone = work.zone ?? (await createWithRecords(session, work, options));
    if (work.zone !== undefined) {
      const target = { id: zone.id, zone: zone.zoneName, isEmpty: work.stored.length === 0, etag: work.etag };
      await applyPlan(session, target, plan);
    }
    await addComments(session, zone.id, work);
    const owned = await giveToOwners(session, zone.id, listPlannedRecords(plan));
    return { ...report, outcome: 'imported', owned };
  } catch (error) {
    // Without the service or with a wrong key, no other zone can be imported either.
    if (session.signal.aborted || (error instanceof ApiError && error.status === 401) || !isOfZone(error)) throw error;
    const hinted = withHint(error, '');
    return { ...report, outcome: 'failed', problem: formatError(hinted) };
  }
}

/** The records of a new zone are one transaction, so after a refusal there are none, and the zone is deleted again. */
async function createWithRecords(
  session: Importing,
  { read, plan, key }: Work,
  { owner }: ImportOptions,
): Promise<Zone> {
  const zone = await createTargetZone(session, read.zone, { owner, key: key?.key });
  session.own.push(zone);
  try {
    const { etag } = await readStored(session, zone.id);
    await applyPlan(session, { id: zone.id, zone: read.zone, isEmpty: true, etag }, plan);
    return zone;
  } catch (error) {
    if (session.signal.aborted) {
      session.warn(`${read.zone} is created without its records; the same command continues`);
      throw error;
    }
    session.own.splice(session.own.indexOf(zone), 1);
    const rest = await removeCreated(session, zone, error);
    if (rest === '') throw error;
    throw new Error(`${formatError(error)}${rest}`, { cause: error });
  }
}

/** A large import into an empty zone is a zone file, which has no comments: they follow as changes. */
async function addComments(session: Importing, id: string, { read, context }: Work): Promise<void> {
  if (read.records.length <= MAX_CHANGES || read.records.every(({ comment }) => comment === undefined)) return;
  const stored = await fetchRecords(session.client, id, {}, { signal: session.signal });
  const rest = await finishInTurns(planSteps(read, stored, context), session.signal);
  await applyPlan(session, { id, zone: read.zone, isEmpty: false }, { ...rest, create: [] });
}

/** All records of the plan, which the zone has now. */
function listPlannedRecords({ create, update, unchanged }: ImportPlan) {
  return [...create, ...update.map(({ found }) => found), ...unchanged];
}

function isOfZone(error: unknown): boolean {
  return error instanceof ApiError || (error instanceof Error && error.cause instanceof ApiError);
}
