// The health of one DNSRecord: its check at the service before its records, and its members after the proof.
import { isSameDefinition } from '#base/check-form.ts';
import { fetchRecords } from '#client/lists.ts';
import { setCheck } from '#contract/operations/checks.ts';
import { keyOf } from '#kube/objects/resource.ts';
import type { DNSRecord, RecordMember, RecordStatus } from '#resources/dnsrecord.ts';
import { writeServiceRef } from '#resources/health-from.ts';
import { requireCluster } from '../access/context.ts';
import type { ServiceConnection } from '../access/credentials.ts';
import type { Desired, ReadyZone } from '../record/desired.ts';
import type { Answers, RecordRun } from '../run/run.ts';
import { type EndpointVerdict, wasServiceFound } from './endpoints.ts';
import { judgeHealthy, listMembers, memberEvents, shownMembers } from './members.ts';
import { buildCheckName } from './name.ts';

/**
 * Puts the check of the object, if it has an own one that the service does not have like this.
 * @returns the name of the check; undefined: the object has none
 * @throws errors of the service
 */
export async function ensureCheck(
  { context, object, call }: RecordRun,
  { client }: ServiceConnection,
  { owner }: ReadyZone,
  { check }: Desired,
): Promise<string | undefined> {
  // The object may have had a definition of its own.
  const isEdited = object.status?.observedGeneration !== object.metadata.generation;
  if (check?.kind !== 'own' && isEdited && object.status?.members !== undefined) context.checks.releasedAny();
  if (check === null) return undefined;
  if (check.kind === 'shared') return check.name;
  const name = buildCheckName(requireCluster(context), keyOf(object));
  const known = context.checks.get(owner, name);
  if (known && isSameDefinition(known.definition, check.definition)) return name;
  const query = owner === undefined ? {} : { owner };
  const view = await client.call(setCheck, { params: { name }, query, body: check.definition }, call);
  context.checks.learn(owner, view);
  return name;
}

/**
 * Reads the members for the status, and judges them. An object without a check has none.
 * @param checkName the name of its check
 * @throws errors of the service
 */
export async function readHealth(
  run: RecordRun,
  { client }: ServiceConnection,
  { zoneId, owner, parked }: ReadyZone,
  { name, type, values, whenAllFail }: Desired,
  checkName: string | undefined,
): Promise<Pick<Answers, 'Healthy'>> {
  const { context, object, call } = run;
  if (checkName === undefined) {
    run.fields = { ...run.fields, members: undefined, foundService: undefined };
    return { Healthy: null };
  }
  const records = await fetchRecords(client, zoneId, { name, type }, call);
  const others = new Set(records.flatMap(({ check }) => (check === undefined || check === checkName ? [] : [check])));
  context.checks.follow(keyOf(object), [...others]);
  const targets = context.checks.get(owner, checkName)?.targets;
  const verdict = context.services.judge(object);
  const unknownReason = verdict?.state === 'Unknown' ? verdict.reason : undefined;
  const members = listMembers({ values, records, targets, isParked: parked, unknownReason });
  const before: readonly RecordMember[] = object.status?.members ?? [];
  run.fields = { ...run.fields, members: shownMembers(members), foundService: foundServiceOf(object, verdict) };
  run.events.push(...memberEvents(before, members));
  return { Healthy: judgeHealthy(members, whenAllFail) };
}

/** Once found, a Service of this name and port stays found, until the object follows another one. */
function foundServiceOf({ spec, status }: DNSRecord, verdict: EndpointVerdict | null): RecordStatus['foundService'] {
  const ref = spec.healthFrom?.serviceRef;
  if (ref === undefined || verdict === null) return undefined;
  const isFound = verdict.state !== 'Unknown' && verdict.isFound;
  return isFound || wasServiceFound(ref, status?.foundService) ? writeServiceRef(ref) : undefined;
}
