// The proof that the name servers serve the values of a DNSRecord, and when to look again.
import { fetchRecords } from '#client/lists.ts';
import type { ListedRecord } from '#contract/record.ts';
import { pickServed, pickWeights } from '#dns/members.ts';
import { parseRdata } from '#dns/types/index.ts';
import { findCondition, isTrue } from '#kube/objects/conditions.ts';
import { NO_ADDRESS } from '#nameserver/probe/compare.ts';
import type { ExpectedRecord } from '#nameserver/probe/rounds.ts';
import type { DNSRecord } from '#resources/dnsrecord.ts';
import { listRecordValues } from '#resources/summary.ts';
import { requireCluster } from '../access/context.ts';
import type { ServiceConnection } from '../access/credentials.ts';
import { isChecked } from '../checks/checked-index.ts';
import { asMember, servedTtl } from '../checks/members.ts';
import { type ConditionAnswer, no, yes } from '../run/conditions.ts';
import { REFUSED_RETRY_MS } from '../run/failures.ts';
import type { Next, RecordRun } from '../run/run.ts';
import { identityOfRecord } from './apply.ts';
import type { Desired, ReadyZone } from './desired.ts';
import { propagatedAt, propagatedToReachable } from './status.ts';

const FIRST_PROBE_RETRY_MS = 100;
const LAST_PROBE_RETRY_MS = 5_000;

/** The earlier proof, with its note, if it was about this spec and the same name servers. */
export function provenBefore(
  { status, metadata }: DNSRecord,
  { counted, nameservers }: ReadyZone,
): ConditionAnswer | null {
  if (!isTrue(status?.conditions, 'Propagated', metadata.generation)) return null;
  const message = findCondition(status?.conditions, 'Propagated')?.message ?? '';
  // A proof without an unreachable name server stays one: it would otherwise be lost at each restart of the operator.
  const sentences = [propagatedAt, propagatedToReachable].map((state) => state(counted, nameservers).message);
  return sentences.some((sentence) => message.startsWith(sentence)) ? yes('Propagated', message) : null;
}

/**
 * The condition Propagated: whether the name servers that count serve the values. An RRset has the lowest TTL of its
 * records (RFC 2181 section 5.2), and other owners may have some of them.
 * @throws errors of the service
 */
export async function proveValues(
  run: RecordRun,
  service: ServiceConnection,
  zone: ReadyZone,
  desired: Desired,
): Promise<ConditionAnswer> {
  const { fqdn, name, type, values } = desired;
  const expectedRecord = { name: fqdn, type, rdatas: values.map(({ wire }) => wire) };
  const targets = listRecordValues(run.object.spec).map(({ content }) => content);
  const ttl = Math.min(...values.map((value) => value.ttl ?? zone.defaultTtl));
  const read = () => fetchRecords(service.client, zone.zoneId, { name, type }, run.call);
  let there = (zone.isDrained || isSelective(desired)) && !zone.parked ? await read() : null;
  if (there !== null && zone.isDrained && isWithheld(values, there))
    return no('ClusterDrained', drainedMessage(requireCluster(run.context)));
  if (there !== null && isSelective(desired))
    return prove(run, service, zone, { name: fqdn, type, ...expectServed(values, there) }, targets);
  const first = await prove(run, service, zone, { ...expectedRecord, ttl }, targets);
  if (first.status === 'True' || zone.parked) return first;
  there ??= await read();
  // The weight may be that of a record of another owner.
  if (isDrawn(there)) return prove(run, service, zone, { name: fqdn, type, ...expectServed(values, there) }, targets);
  const lowest = Math.min(ttl, ...pickServed(there.map(asMember)).map(servedTtl));
  return lowest === ttl ? first : prove(run, service, zone, { ...expectedRecord, ttl: lowest }, targets);
}

/** Whether name servers may omit some of the values because of a check, a tier or a weight. */
function isSelective({ check, values }: Desired): boolean {
  return check !== null || values.some(({ tier, weight }) => tier > 0 || weight !== null);
}

/** Whether name servers that can answer with one of the records. */
function isDrawn(records: readonly ListedRecord[]): boolean {
  return pickWeights(pickServed(records.map(asMember))) !== null;
}

/**
 * The answer of name servers for values with a check: the values that work, of the lowest tier, and not the others. If
 * none of the values is in it, for example because other records have a lower tier, the answer has those records. With
 * weights it has one of all records, and the reports of the nodes say that the others are there too.
 */
function expectServed(
  values: Desired['values'],
  records: readonly ListedRecord[],
): Pick<ExpectedRecord, 'rdatas' | 'absent' | 'ttl' | 'isDrawn'> {
  const servedRecords = pickServed(records.map(asMember));
  const storedIdentities = new Set(records.map(identityOfRecord));
  const servedIdentities = new Set(servedRecords.map(identityOfRecord));
  // A value that is not stored makes the proof fail, as it must.
  const isExpected = ({ identity }: Desired['values'][number]) =>
    servedIdentities.has(identity) || !storedIdentities.has(identity);
  const expected = values.filter(isExpected);
  const absent = values.filter((value) => !isExpected(value)).map(({ wire }) => wire);
  if (isDrawn(records) && expected.every(({ identity }) => storedIdentities.has(identity)))
    return { rdatas: servedRecords.flatMap(wireOf), absent, isDrawn: true };
  return {
    rdatas: expected.length > 0 ? expected.map(({ wire }) => wire) : servedRecords.flatMap(wireOf),
    absent,
    // An empty answer has no TTL.
    ...(servedRecords.length === 0 ? {} : { ttl: Math.min(...servedRecords.map(servedTtl)) }),
  };
}

function wireOf({ type, content, priority }: ListedRecord): Uint8Array[] {
  const parsed = parseRdata(type, content, priority);
  return parsed.ok ? [parsed.value.wire] : [];
}

/** Whether a value is withdrawn with the cluster, and others are served. */
function isWithheld(values: Desired['values'], records: readonly ListedRecord[]): boolean {
  const withdrawnIdentities = new Set(records.flatMap((each) => (each.withdrawn ? identityOfRecord(each) : [])));
  const servedIdentities = new Set(pickServed(records.map(asMember)).map(identityOfRecord));
  return values.some(({ identity }) => withdrawnIdentities.has(identity) && !servedIdentities.has(identity));
}

/**
 * Other records of the name may change while the cluster is drained. The heartbeat that ends it causes a run at once.
 */
export function nextProbe(
  { object, context }: RecordRun,
  zone: ReadyZone,
  { status, reason }: ConditionAnswer,
  /** Whether every PTR record that the object wants is written. */
  isReversed: boolean,
): Next {
  // The status also shows which members are served, and other records of the name decide about that.
  const mustLook = zone.isDrained || isChecked(object) || !isReversed;
  if (status === 'True' || zone.parked) return mustLook ? { afterMs: REFUSED_RETRY_MS } : {};
  return { afterMs: reason === 'ClusterDrained' ? REFUSED_RETRY_MS : probeDelay(object, context.now()) };
}

async function prove(
  { context, signal }: RecordRun,
  { client }: ServiceConnection,
  zone: ReadyZone,
  expectedRecord: ExpectedRecord,
  /** The targets of an ALIAS. */
  targets: readonly string[],
): Promise<ConditionAnswer> {
  if (zone.parked)
    return no(
      'ZoneParked',
      'The zone is parked, so that the name servers answer for its apex only. Set spec.parked: false on the DNSZone.',
    );
  const proof = await context.propagation.recordServed(zone, expectedRecord, client, signal);
  const state = proof.leftOut.length > 0 ? propagatedToReachable : propagatedAt;
  if (proof.problem === null) return state(proof.nameservers, zone.nameservers, proof.note);
  const [target] = expectedRecord.type === 'ALIAS' && proof.problem.includes(NO_ADDRESS) ? targets : [];
  return target === undefined
    ? no('AwaitingPropagation', proof.problem)
    : no('TargetUnresolved', `${unresolved(target)} ${proof.problem}`);
}

function unresolved(target: string): string {
  return `The target ${target} has no address, as far as the resolvers of the api know. Correct the target or give it an address; the api looks again every 30 s.`;
}

/** The delay grows with the time since the change, up to 5 s. */
function probeDelay(object: DNSRecord, now: Date): number {
  const since = object.status?.conditions.find(({ type }) => type === 'Propagated')?.lastTransitionTime;
  const age = since === undefined ? 0 : now.getTime() - Date.parse(since);
  return Math.min(LAST_PROBE_RETRY_MS, Math.max(FIRST_PROBE_RETRY_MS, age / 10));
}

/** The sentence of a DNSRecord whose values are withdrawn. */
function drainedMessage(cluster: string): string {
  return `Cluster ${cluster} is drained, so the name servers answer with other values at this name and type. To serve these values again, an owner of the team runs: zonestead clusters restore ${cluster}`;
}
