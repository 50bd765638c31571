// The chain from cert-manager to the name servers: reads the facts of each part in a live cluster and judges them. It
// changes nothing.

import { KubeError } from '#kube/api/errors.ts';
import { NAMESPACE } from '#kube/objects/namespaces.ts';
import type { KubeObject, ObjectName, ResourceType } from '#kube/objects/resource.ts';
import { type AddressResolver, type ProbeEndpoint, resolveServers, zoneServed } from '#nameserver/probe/probe.ts';
import { DNS_ZONE, type DNSZone } from '#resources/dnszone.ts';
import { NEEDED_ACCESS, SUBJECT_ACCESS_REVIEW } from '#solver/access.ts';
import { PAYLOAD_KIND, SOLVER_GROUP, SOLVER_NAME, SOLVER_VERSION } from '#solver/names.ts';
import { type Finding, fail } from './finding.ts';
import { isGap, type KubeReader } from './kube-reader.ts';
import { withLimit } from './limit.ts';
import { rankFindings } from './rank.ts';
import { judgeServers } from './server-checks.ts';
import {
  API_SERVICE_NAME,
  type ApiService,
  type Issuer,
  judgeAccess,
  judgeAnswer,
  judgeApiService,
  judgeCaBundle,
  judgeIssuers,
} from './solver-checks.ts';
import {
  findZone,
  judgeDelegation,
  judgeGrant,
  judgeKeyRoll,
  judgeNodes,
  judgeSecondaries,
  judgeTargets,
  judgeZone,
} from './zone-checks.ts';

const LIMIT_MS = 120_000;

const type = (group: string, version: string, plural: string, kind: string, namespaced: boolean): ResourceType => ({
  group,
  version,
  plural,
  kind,
  namespaced,
});
const API_SERVICE = type('apiregistration.k8s.io', 'v1', 'apiservices', 'APIService', false);
const CLUSTER_ISSUER = type('cert-manager.io', 'v1', 'clusterissuers', 'ClusterIssuer', false);
const ISSUER = type('cert-manager.io', 'v1', 'issuers', 'Issuer', true);
const PAYLOAD = type(SOLVER_GROUP, SOLVER_VERSION, SOLVER_NAME, PAYLOAD_KIND, false);

/**
 * @param account the user name of cert-manager in Kubernetes
 * @throws Error if the cluster does not answer
 */
export function diagnoseSolver(reader: KubeReader, account: string, caller: AbortSignal): Promise<Finding[]> {
  return withLimit(LIMIT_MS, caller, async (signal) => {
    const service = await readOne<ApiService>(reader, API_SERVICE, { name: API_SERVICE_NAME }, signal);
    const findings = [judgeApiService(service)];
    if (service !== undefined) {
      findings.push(judgeCaBundle(service, new Date()));
      findings.push(judgeAccess(account, await mayCreate(reader, account, signal)));
      findings.push(judgeAnswer(await askSolver(reader, signal)));
    }
    const issuers = [
      ...(await readAll<Issuer>(reader, CLUSTER_ISSUER, signal)),
      ...(await readAll<Issuer>(reader, ISSUER, signal)),
    ];
    return rankFindings([...findings, ...judgeIssuers(issuers)]);
  });
}

interface NamePorts {
  readonly reader: KubeReader;
  readonly resolver: AddressResolver;
  /** The addresses of name servers whose names do not resolve here. */
  readonly overrides: ReadonlyMap<string, ProbeEndpoint>;
}

/**
 * @param namespace the namespace of the Certificate for this name
 * @throws Error if the cluster does not answer
 */
export function diagnoseName(
  { reader, resolver, overrides }: NamePorts,
  name: string,
  namespace: string,
  caller: AbortSignal,
): Promise<Finding[]> {
  return withLimit(LIMIT_MS, caller, async (signal) => {
    const match = findZone(name, await readAll<DNSZone>(reader, DNS_ZONE, signal));
    if ('level' in match) return [match];
    const tenant = await readOne(reader, NAMESPACE, { name: namespace }, signal);
    if (tenant === undefined)
      return [fail('grant', `Namespace ${namespace} does not exist`, 'Set --namespace to an existing namespace')];
    const { zone, zoneName } = match;
    const { servers, unresolved } = await resolveServers(zone.status?.nameservers ?? [], {
      ...{ overrides, resolver, signal },
    });
    const verdicts = await zoneServed({ zone: zoneName }, servers, { attempts: 2, signal });
    return rankFindings([
      judgeZone(zone),
      judgeGrant(match, namespace, () => tenant.metadata.labels ?? {}),
      ...judgeServers(zoneName, unresolved, verdicts),
      ...judgeNodes(zone),
      ...judgeSecondaries(zone),
      judgeDelegation(zone),
      ...judgeKeyRoll(zone),
      ...judgeTargets(zone),
    ]);
  });
}

/**
 * The dangling names, and the key rolls that need attention, of all zones that can be read.
 * @throws Error if the cluster does not answer
 */
export function diagnoseZones(reader: KubeReader, caller: AbortSignal): Promise<Finding[]> {
  return withLimit(LIMIT_MS, caller, async (signal) => {
    const { items } = await reader.list<DNSZone>(DNS_ZONE, undefined, signal);
    return rankFindings(items.flatMap((zone) => [...judgeKeyRoll(zone), ...judgeTargets(zone)]));
  });
}

/**
 * @returns undefined if the object or its kind does not exist
 * @throws Error if a right is missing
 */
async function readOne<T extends KubeObject>(
  reader: KubeReader,
  kind: ResourceType,
  object: ObjectName,
  signal: AbortSignal,
): Promise<T | undefined> {
  const read = await reader.get<T>(kind, object, signal);
  if (!isGap(read)) return read;
  if (read.gap === 'right') throw new Error(read.problem);
  return undefined;
}

/** The list is empty if the kind does not exist. @throws Error if a right is missing */
async function readAll<T extends KubeObject>(
  reader: KubeReader,
  kind: ResourceType,
  signal: AbortSignal,
): Promise<readonly T[]> {
  const { items, gap } = await reader.list<T>(kind, undefined, signal);
  if (gap?.gap === 'right') throw new Error(gap.problem);
  return items;
}

async function mayCreate(reader: KubeReader, account: string, signal: AbortSignal): Promise<boolean> {
  const [system, kind, namespace] = account.split(':');
  const isAccount = system === 'system' && kind === 'serviceaccount';
  const groups = isAccount ? ['system:serviceaccounts', `system:serviceaccounts:${namespace}`] : [];
  const spec = { user: account, groups: [...groups, 'system:authenticated'], resourceAttributes: NEEDED_ACCESS };
  const review = await reader.review(SUBJECT_ACCESS_REVIEW, { spec }, signal);
  return (review as { status?: { allowed?: boolean } }).status?.allowed === true;
}

/** Removes a value that does not exist: the request uses every step and changes nothing. */
async function askSolver(reader: KubeReader, signal: AbortSignal): Promise<Parameters<typeof judgeAnswer>[0]> {
  const request = { action: 'CleanUp', dnsName: 'doctor.invalid', key: 'doctor', resolvedFQDN: 'doctor.invalid.' };
  try {
    const answer = (await reader.review(PAYLOAD, { request }, signal)) as {
      response?: { success?: boolean; status?: { message?: string } };
    };
    const { success = false, status } = answer.response ?? {};
    return { success, ...(status?.message === undefined ? {} : { message: status.message }) };
  } catch (error) {
    if (error instanceof KubeError) return { error: error.message };
    throw error;
  }
}
