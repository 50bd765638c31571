// `zonestead import`: reads each zone of the sources, shows the plan, and sends it. A zone that fails does not stop the others.
import type { Zone } from '#client/client.ts';
import { ApiError } from '#client/errors.ts';
import { MAX_CHANGES } from '#contract/batch.ts';
import type { Child } from '#dns/rules/zone-check.ts';
import { finishInTurns } from '#dns/steps.ts';
import { show } from '../output.ts';
import type { Session } from '../rest/session.ts';
import { withHint } from '../rest/session.ts';
import { newZoneOwner } from '../rest/zones.ts';
import { applyPlan } from './apply.ts';
import { giveToOwners } from './own.ts';
import { type ImportPlan, type PlanContext, planSteps, type StoredRecord } from './plan.ts';
import { type ReadOptions, type ReadZone, readSteps } from './read.ts';
import { type RegistryOptions, unusedRegistry, useRegistry } from './registry.ts';
import { reportLines, reportOf, type ZoneReport } from './report.ts';
import type { SourceZone } from './source.ts';

export interface ImportOptions extends RegistryOptions {
  /** Turns the TXT registry of external-dns into owners. */
  externalDns?: boolean;
  dryRun?: boolean;
  create?: boolean;
  owner?: string;
  skipUnsupported?: boolean;
  skipRefused?: boolean;
}

/** The default of the service for zones that do not exist yet, in seconds. */
const DEFAULT_TTL = 3_600;

/** @returns whether all zones were imported, or would be @throws Error if the service does not answer or does not accept the key */
export async function importZones(
  session: Session,
  sources: AsyncIterable<SourceZone>,
  options: ImportOptions,
): Promise<boolean> {
  const reports: ZoneReport[] = [];
  const own = await session.client.zones.list({}, { signal: session.signal });
  for await (const source of sources) {
    const report = await importZone(session, source, own, options);
    reports.push(report);
    if (session.format === 'table')
      for (const line of reportLines(report, options.dryRun === true)) session.print(line);
  }
  await show(session, { zones: reports }, () => undefined);
  return reports.every(
    ({ outcome, refused }) => outcome === 'imported' || (outcome === 'planned' && refused.length === 0),
  );
}

async function importZone(
  session: Session,
  source: SourceZone,
  own: Zone[],
  options: ImportOptions,
): Promise<ZoneReport> {
  const { client, signal } = session;
  const zone = own.find(({ zoneName }) => zoneName === source.zone);
  const children: Child[] = own
    .filter(({ zoneName }) => zoneName.endsWith(`.${source.zone}`))
    .map(({ id, zoneName }) => ({ id, name: zoneName }));
  const defaultTtl = zone?.defaultTtl ?? DEFAULT_TTL;
  const read = await readZone(source, { ...options, defaultTtl, children }, signal);
  const stored: StoredRecord[] = zone === undefined ? [] : await client.records.list(zone.id, {}, { signal });
  const context = { zone: source.zone, defaultTtl, children };
  const plan = await finishInTurns(planSteps(read, stored, context), signal);
  const report = reportOf(read, plan, 'planned');
  if (options.skipRefused) {
    report.skipped = [...report.skipped, ...report.refused];
    report.refused = [];
  }
  if (zone === undefined && !options.create) return missing(report, options);
  if (options.dryRun) return report;
  if (report.refused.length > 0) return { ...report, outcome: 'refused' };
  return send(session, { read, plan, zone, stored, report, own, context }, options);
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

/** A plan can be shown for a zone that does not exist yet. */
function missing(report: ZoneReport, { dryRun }: ImportOptions): ZoneReport {
  const problem = `The API key sees no zone ${report.zone}; --create creates it.`;
  if (dryRun) return { ...report, notes: [{ place: 'zone', message: problem }, ...report.notes] };
  return { ...report, outcome: 'failed', problem };
}

interface Work {
  read: ReadZone;
  plan: ImportPlan;
  zone: Zone | undefined;
  stored: readonly StoredRecord[];
  report: ZoneReport;
  context: PlanContext;
  /** The zones of the key, to which a new one is added: another source may have more of its records. */
  own: Zone[];
}

async function send(session: Session, work: Work, options: ImportOptions): Promise<ZoneReport> {
  const { read, plan, stored, report } = work;
  const { client, signal } = session;
  try {
    let id = work.zone?.id;
    if (id === undefined) {
      const owner = options.owner ?? (await newZoneOwner(client, signal));
      const created = await client.zones.create({ zoneName: read.zone, owner, defaultTtl: DEFAULT_TTL }, { signal });
      work.own.push(created);
      id = created.id;
    }
    await applyPlan(session, { id, zone: read.zone, isEmpty: stored.length === 0 }, plan);
    await addComments(session, id, work);
    const owned = await giveToOwners(session, id, recordsOf(plan));
    return { ...report, outcome: 'imported', owned };
  } catch (error) {
    // Without the service or with a wrong key, no other zone can be imported either.
    if (signal.aborted || (error instanceof ApiError && error.status === 401) || !isOfZone(error)) throw error;
    const hinted = withHint(error, '');
    return { ...report, outcome: 'failed', problem: hinted instanceof Error ? hinted.message : String(hinted) };
  }
}

/** A large import into an empty zone is a zone file, which has no comments: they follow as changes. */
async function addComments(session: Session, id: string, { read, context }: Work): Promise<void> {
  if (read.records.length <= MAX_CHANGES || read.records.every(({ comment }) => comment === undefined)) return;
  const stored = await session.client.records.list(id, {}, { signal: session.signal });
  const rest = await finishInTurns(planSteps(read, stored, context), session.signal);
  await applyPlan(session, { id, zone: read.zone, isEmpty: false }, { ...rest, create: [] });
}

/** All records of the plan, which the zone has now. */
function recordsOf({ create, update, unchanged }: ImportPlan) {
  return [...create, ...update.map(({ found }) => found), ...unchanged];
}

function isOfZone(error: unknown): boolean {
  return error instanceof ApiError || (error instanceof Error && error.cause instanceof ApiError);
}
