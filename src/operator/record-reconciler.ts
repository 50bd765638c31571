// Reconciles one DNSRecord: object, ledger and zone → the records at the service → plan → writes → proof by DNS → status.
import type { DnsRecord } from '../client/client.ts';
import { isAbsent } from '../client/errors.ts';
import { parseZoneName } from '../dns/name.ts';
import type { Clock } from '../kube/clock.ts';
import { findCondition, isTrue } from '../kube/conditions.ts';
import type { ReconcileContext, ReconcileResult } from '../kube/controller.ts';
import { isDeleting } from '../kube/finalizer.ts';
import { keyOf } from '../kube/resource.ts';
import { CREDENTIALS_RETRY_MS, houseOf, rejected } from './credentials.ts';
import { refusal } from './grants.ts';
import { BY_RECORD_ID, type House, labelsIn, withFinalizer } from './house.ts';
import { createPatience, type Patience } from './patience.ts';
import type { ExpectedRecord } from './propagation.ts';
import { adoptable } from './record-adopt.ts';
import { applyPlan } from './record-apply.ts';
import { ledgerOf } from './record-birth.ts';
import { deleteRecordObject } from './record-delete.ts';
import { type Desired, desiredOf } from './record-desired.ts';
import { elderOf, TURN_RETRY_MS } from './record-elders.ts';
import { resolveIntents } from './record-intents.ts';
import { planRecord, type RecordPlan } from './record-plan.ts';
import { ACCEPTED, concludeRecord, concludeRecordTrouble, PROGRAMMED, propagatedAt, stopped } from './record-status.ts';
import { withdraw } from './record-withdraw.ts';
import { isInOwnNamespace, zoneKeyOf } from './record-zone.ts';
import { DNS_RECORD, type DNSRecord, type LedgerEntry } from './resources/dnsrecord.ts';
import type { DNSZone } from './resources/dnszone.ts';
import { summaryOf, valuesOf } from './resources/summary.ts';
import { PausedTooLong, REFUSED_RETRY_MS, type Trouble, troubleOf } from './trouble.ts';
import { type Answer, no, type Open, yes } from './verdicts.ts';

const FIRST_PROBE_RETRY_MS = 100;
const LAST_PROBE_RETRY_MS = 5_000;

export function createRecordReconciler(house: House, clock: Clock) {
  const mustWait = createPatience(clock);
  const mustWaitForZone = createPatience(clock);
  return async (key: string, context: ReconcileContext): Promise<ReconcileResult> => {
    const object = house.records.get(key);
    if (!object) return {};
    if (isDeleting(object)) return deleteRecordObject(house, clock, object, mustWaitForZone, context);
    return reconcileRecord(house, clock, mustWait, object, context);
  };
}

async function reconcileRecord(
  house: House,
  clock: Clock,
  mustWait: Patience,
  object: DNSRecord,
  context: ReconcileContext,
): Promise<ReconcileResult> {
  const { signal } = context;
  const zone = house.zones.get(zoneKeyOf(object));
  const judgedZone = zone && zoneOf(zone);
  if (!judgedZone) {
    const answer = no(
      'ZoneNotReady',
      zone
        ? `DNSZone ${keyOf(zone)} is not at the DNS service yet; see its conditions.`
        : `There is no DNSZone ${zoneKeyOf(object)}; create it or mend spec.zoneRef.`,
    );
    await concludeRecord(house, object, {}, stopped(answer), signal);
    // The zone's own events wake this record.
    return {};
  }
  const verdict = desiredOf(object, judgedZone.zoneName);
  const problem = verdict.ok
    ? notPermitted(house, object, zone as DNSZone, verdict.desired.name)
    : no('InvalidSpec', verdict.message);
  let current = object;
  try {
    if (!verdict.ok || problem)
      return await refuseRecord(house, clock, object, zone as DNSZone, problem as Open, context);
    const scope = await houseOf(house, zone as DNSZone, signal);
    if ('answer' in scope) return await waitForKey(house, object, zone as DNSZone, scope.answer, signal);
    const isNew = ledgerOf(object, house.seal).entries.length === 0;
    const elder = isNew ? elderOf(house, object, zone as DNSZone, judgedZone.zoneName, verdict.desired) : null;
    if (mustWait(object, elder !== null)) return { requeueAfterMs: TURN_RETRY_MS };
    return await program(scope.house, clock, object, judgedZone, verdict.desired, context, (written) => {
      current = written;
    });
  } catch (error) {
    const answer = rejected(house, zone as DNSZone, error);
    if (answer) return await waitForKey(house, current, zone as DNSZone, answer, signal);
    // Deleted by somebody between our look and our write: look again.
    if (isAbsent(error) && error.code === 'not_found') return { requeueAfterMs: FIRST_PROBE_RETRY_MS };
    if (isAbsent(error)) {
      // The zone is gone at the service: its own reconciler finds that out, and wakes this record afterwards.
      house.wakeZone(keyOf(zone as DNSZone));
      const answer = no('ZoneNotReady', `The zone of DNSZone ${zoneKeyOf(object)} is gone from the DNS service.`);
      await concludeRecord(house, current, {}, stopped(answer, ACCEPTED), signal);
      return { requeueAfterMs: 1_000 };
    }
    const trouble = troubleOf(error);
    if (!trouble) throw error;
    const until = error instanceof PausedTooLong ? error.until : null;
    // Of one that is refused its condition has said so: that it is still to be taken out makes it no more permitted.
    if (!problem) await concludeRecordTrouble(house, clock, current, trouble, until, signal);
    if (trouble.kind === 'refused') return { requeueAfterMs: REFUSED_RETRY_MS };
    if (error instanceof PausedTooLong) return { requeueAfterMs: Math.max(0, error.until - clock.now()) };
    house.wakeRecordWithService(keyOf(current));
    throw error;
  }
}

/** Refused: what a zone's owner does not permit (any more) is taken out of DNS, after saying so. */
async function refuseRecord(
  house: House,
  clock: Clock,
  object: DNSRecord,
  zone: DNSZone,
  answer: Open,
  context: ReconcileContext,
): Promise<ReconcileResult> {
  const { signal } = context;
  const told = await concludeRecord(house, object, {}, stopped(answer), signal);
  if (answer.reason === 'NotPermitted') await withdraw(house, clock, told, zone, context);
  return { requeueAfterMs: REFUSED_RETRY_MS };
}

/** The zone's own API key is missing or wrong: the zone says more. What was written before is still served. */
async function waitForKey(
  house: House,
  object: DNSRecord,
  zone: DNSZone,
  { reason }: Open,
  signal: AbortSignal,
): Promise<ReconcileResult> {
  const message = `DNSZone ${keyOf(zone)} has no API key that works (${reason}); see its conditions.`;
  const answer = no('ZoneNotReady', message);
  await concludeRecord(house, object, {}, stopped(answer), signal);
  return { requeueAfterMs: CREDENTIALS_RETRY_MS };
}

type Problem = Pick<Trouble, 'reason' | 'message'>;

interface ReadyZone {
  zoneId: string;
  zoneName: string;
  defaultTtl: number;
  parked: boolean;
  nameservers: string[];
}

function zoneOf({ spec, status }: DNSZone): ReadyZone | null {
  if (status?.zoneId === undefined || status.defaultTtl === undefined) return null;
  // Refused since: what its namespace may not have, its records may not write to.
  if (findCondition(status.conditions, 'Accepted')?.status === 'False') return null;
  const name = parseZoneName(spec.zoneName);
  if (!name.ok) return null;
  return {
    zoneId: status.zoneId,
    zoneName: name.value,
    defaultTtl: status.defaultTtl,
    parked: status.state === 'parked',
    nameservers: status.nameservers ?? [],
  };
}

function notPermitted(house: House, record: DNSRecord, zone: DNSZone, name: string): Open | null {
  const message = refusal(zone, record, name, labelsIn(house));
  return message === null ? null : no('NotPermitted', message);
}

async function program(
  house: House,
  clock: Clock,
  object: DNSRecord,
  zone: ReadyZone,
  desired: Desired,
  context: ReconcileContext,
  written: (object: DNSRecord) => void,
  mustLook = false,
): Promise<ReconcileResult> {
  const { signal, reconcileId: requestId } = context;
  const facts = { fqdn: desired.fqdn, zoneId: zone.zoneId };
  // A ledger of another zone is void: that zone is gone, and its records with it.
  const known = ledgerOf(object, house.seal);
  const ledger = known.zoneId === zone.zoneId ? known.entries : [];
  // On before the first write; a new object gets it together with the word of its creations.
  const held = ledger.length > 0 ? await withFinalizer(house, house.records, DNS_RECORD, object, signal) : object;
  written(held);
  const owned = await resolveIntents(house, clock, held, zone.zoneId, ledger, context);
  // A new object asks for its values at once: what stands in the way, the service says.
  const isHopeful =
    !mustLook && ledger.length === 0 && held.status?.records === undefined && held.spec.adopt === 'Never';
  const place = { name: desired.name, type: desired.type };
  const actual = isHopeful ? [] : await house.client.records.list(zone.zoneId, place, { signal, requestId });
  const others = actual.filter(({ id }) => !owned.some((entry) => entry.id === id));
  const plan = planRecord({
    desired: desired.values,
    owned,
    actual,
    defaultTtl: zone.defaultTtl,
    adoptable: adoptable(house, object, zone, desired, others),
  });
  // Before everything of this spec was written once, a difference is our own unfinished work.
  const programmed = isTrue(object.status?.conditions, 'Programmed', object.metadata.generation);
  if (plan.drift.length > 0 && programmed && !mayRepair(house, object, plan.drift)) {
    const answer = yes(
      'Drifted',
      `Changed at the DNS service, and driftPolicy leaves it so: ${plan.drift.join('; ')}.`,
    );
    await concludeRecord(house, object, facts, stopped(answer, ACCEPTED), signal);
    return {};
  }

  const outcome = await applyPlan(house, clock, held, { zoneId: zone.zoneId, plan, written }, context);
  if (isHopeful && outcome.problem?.reason === 'Conflict')
    return program(house, clock, outcome.object, zone, desired, context, written, true);
  const records: LedgerEntry[] = outcome.owned;
  const hasWritten = plan.create.length + plan.update.length + plan.remove.length > 0;
  if (hasWritten) house.observer.written(object.metadata.uid);
  if (outcome.problem) {
    const problem = discreet(object, desired, named(house, outcome.problem));
    const answer = no(problem.reason, problem.message);
    const accepted = outcome.problem.reason === 'Conflict' ? ACCEPTED : answer;
    await concludeRecord(house, outcome.object, { ...facts, records }, stopped(answer, accepted), signal);
    return { requeueAfterMs: REFUSED_RETRY_MS };
  }
  if (plan.drift.length > 0 && programmed) house.observer.drift('DNSRecord', 'repaired');
  const proven = propagatedAt(zone.nameservers);
  const isProven =
    isTrue(object.status?.conditions, 'Propagated', object.metadata.generation) &&
    findCondition(object.status?.conditions, 'Propagated')?.message === proven.message &&
    isInSync(plan, ledger) &&
    !zone.parked;
  const propagated = isProven ? proven : await prove(house, zone, expectedOf(desired, plan, actual, zone), signal);
  await concludeRecord(
    house,
    outcome.object,
    { ...facts, records },
    { Accepted: ACCEPTED, Programmed: PROGRAMMED, Propagated: propagated },
    signal,
  );
  // Otherwise Ready has changed, or the repair has had its own Event: every write is told of.
  if (hasWritten && isTrue(held.status?.conditions, 'Ready') && propagated.status === 'True' && plan.drift.length === 0)
    house.events.record(object, {
      type: 'Normal',
      reason: 'Updated',
      action: 'Update',
      note: `Written, and served by every name server: ${summaryOf(valuesOf(object.spec))}`,
    });
  if (propagated.status === 'True') house.observer.propagated(object.metadata.uid);
  if (propagated.status === 'True' || zone.parked) return {};
  return { requeueAfterMs: probeDelay(object, house.now()) };
}

/** The service names other records of the zone: what they are is not for somebody of another namespace. */
function discreet(object: DNSRecord, { name, type }: Desired, problem: Problem): Problem {
  if (isInOwnNamespace(object) || problem.reason !== 'Conflict' || problem.message.startsWith('DNSRecord '))
    return problem;
  const message = `The zone holds records that stand against ${type} records named ${name}; the owner of DNSZone ${zoneKeyOf(object)} can tell which.`;
  return { ...problem, message };
}

/** The service knows its records by id: whose they are here is said beside it. */
function named(house: House, problem: Problem): Problem {
  const message = problem.message.replace(/\brec_\w+/g, (id) => {
    const [holder] = house.records.byIndex(BY_RECORD_ID, id);
    return holder ? `${id} of DNSRecord ${keyOf(holder)}` : id;
  });
  return { ...problem, message };
}

/** Whether all was as the ledger says, and nothing had to be written: what was served is served. */
function isInSync({ create, update, remove, drift }: RecordPlan, ledger: readonly LedgerEntry[]): boolean {
  return (
    create.length + update.length + remove.length + drift.length === 0 && ledger.every(({ id }) => id !== undefined)
  );
}

/** Enforce repairs and tells; Report only tells; Ignore does neither. */
function mayRepair(house: House, object: DNSRecord, drift: string[]): boolean {
  const policy = object.spec.driftPolicy ?? house.zones.get(zoneKeyOf(object))?.spec.driftPolicy ?? 'Enforce';
  if (policy !== 'Ignore') {
    house.observer.drift('DNSRecord', 'found');
    house.events.record(object, {
      type: 'Warning',
      reason: 'Drift',
      action: policy === 'Enforce' ? 'Repair' : 'Report',
      note: drift.join('; '),
    });
  }
  return policy === 'Enforce';
}

/** What must be served: our values beside whatever else the RRset holds, under its lowest TTL. */
function expectedOf(
  desired: Desired,
  plan: RecordPlan,
  actual: readonly DnsRecord[],
  { defaultTtl }: ReadyZone,
): ExpectedRecord {
  const ours = new Set([...plan.keep, ...plan.update, ...plan.remove].map(({ id }) => id));
  const others = actual.filter(({ id }) => !ours.has(id)).map(({ ttl }) => ttl);
  const ttl = Math.min(...desired.values.map((value) => value.ttl ?? defaultTtl), ...others);
  return {
    name: desired.fqdn,
    type: desired.type,
    ttl,
    rdatas: desired.values.map(({ wire }) => wire),
  };
}

async function prove(house: House, zone: ReadyZone, expected: ExpectedRecord, signal: AbortSignal): Promise<Answer> {
  if (zone.parked)
    return no('ZoneParked', 'The zone is parked: only its apex answers. Set spec.parked: false on the DNSZone.');
  const problem = await house.propagation.recordServed(zone.nameservers, expected, signal);
  return problem === null ? propagatedAt(zone.nameservers) : no('AwaitingPropagation', problem);
}

/** Soon after the change, then ever more slowly: a name server that is down is asked every 5 s. */
function probeDelay(object: DNSRecord, now: Date): number {
  const since = object.status?.conditions.find(({ type }) => type === 'Propagated')?.lastTransitionTime;
  const age = since === undefined ? 0 : now.getTime() - Date.parse(since);
  return Math.min(LAST_PROBE_RETRY_MS, Math.max(FIRST_PROBE_RETRY_MS, age / 10));
}
