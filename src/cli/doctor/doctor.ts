// `zonestead doctor`: checks every step from cert-manager to the name servers in a live cluster, and prints how to fix
// each problem. It changes nothing.

import { Resolver } from 'node:dns/promises';
import type { Config } from '#config.ts';
import type { KubeApi } from '#kube/api/api.ts';
import { connectCluster } from '#kube/api/cluster.ts';
import { isNotFound, KubeError } from '#kube/api/errors.ts';
import { NAMESPACE } from '#kube/objects/namespaces.ts';
import type { KubeObject, ObjectName, ResourceType } from '#kube/objects/resource.ts';
import { parseOverrides, resolveServers } from '#nameserver/probe/probe.ts';
import { DNS_ZONE, type DNSZone } from '#resources/dnszone.ts';
import { NEEDED_ACCESS, SUBJECT_ACCESS_REVIEW } from '#solver/access.ts';
import { PAYLOAD_KIND, SOLVER_GROUP, SOLVER_NAME, SOLVER_VERSION } from '#solver/names.ts';
import {
  API_SERVICE_NAME,
  type ApiService,
  type Issuer,
  judgeAccess,
  judgeAnswer,
  judgeApiService,
  judgeCaBundle,
  judgeIssuers,
} from './cluster-checks.ts';
import { type DoctorFinding, fail, findingLines } from './finding.ts';
import {
  checkServers,
  findZone,
  judgeDelegation,
  judgeGrant,
  judgeNodes,
  judgeSecondaries,
  judgeZone,
} from './zone-checks.ts';

interface DoctorOptions {
  /** The user name of cert-manager in Kubernetes. */
  readonly account: string;
  /** The namespace of the Certificates. */
  readonly namespace: string;
}

type Look = <T extends KubeObject>(type: ResourceType, object: ObjectName) => Promise<T | undefined>;

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

/** @returns the exit code of the process, 1 if a check fails @throws Error if the cluster does not answer */
export async function runDoctor(
  config: Config<'KUBECONFIG' | 'ZONESTEAD_NAMESERVER_ADDRESSES'>,
  names: readonly string[],
  options: DoctorOptions,
  print: (line: string) => void,
  signal: AbortSignal,
): Promise<number> {
  const { KUBECONFIG: kubeconfig } = config;
  const cluster = await connectCluster(kubeconfig === undefined ? {} : { kubeconfig });
  let failures = 0;
  const report = (findings: readonly DoctorFinding[]) => {
    for (const finding of findings) {
      for (const line of findingLines(finding)) print(line);
      if (finding.verdict === 'fail') failures += 1;
    }
  };
  try {
    report(await examineSolver(cluster.api, options, signal));
    const overrides = parseOverrides(config.ZONESTEAD_NAMESERVER_ADDRESSES);
    for (const name of names) {
      print('');
      print(`${name}, for a Certificate in namespace ${options.namespace}:`);
      report(await examineName(cluster.api, name, options, overrides, signal));
    }
    return failures === 0 ? 0 : 1;
  } finally {
    await cluster.close();
  }
}

async function examineSolver(api: KubeApi, { account }: DoctorOptions, signal: AbortSignal): Promise<DoctorFinding[]> {
  const service = await lookIn(api, signal)<ApiService>(API_SERVICE, { name: API_SERVICE_NAME });
  const findings = [judgeApiService(service)];
  if (service !== undefined) {
    findings.push(judgeCaBundle(service, new Date()));
    findings.push(judgeAccess(account, await mayCreate(api, account, signal)));
    findings.push(judgeAnswer(await askSolver(api, signal)));
  }
  const issuers = [...(await all<Issuer>(api, CLUSTER_ISSUER, signal)), ...(await all<Issuer>(api, ISSUER, signal))];
  return [...findings, ...judgeIssuers(issuers)];
}

async function examineName(
  api: KubeApi,
  name: string,
  { namespace }: DoctorOptions,
  overrides: ReturnType<typeof parseOverrides>,
  signal: AbortSignal,
): Promise<DoctorFinding[]> {
  const match = findZone(name, await all<DNSZone>(api, DNS_ZONE, signal));
  if ('verdict' in match) return [match];
  const tenant = await lookIn(api, signal)(NAMESPACE, { name: namespace });
  if (tenant === undefined)
    return [fail(`Namespace ${namespace} does not exist`, 'Set --namespace to an existing namespace')];
  const resolver = new Resolver({ timeout: 2_000, tries: 1 });
  const servers = await resolveServers(match.zone.status?.nameservers ?? [], { overrides, resolver, signal });
  return [
    judgeZone(match),
    judgeGrant(match, namespace, () => tenant.metadata.labels ?? {}),
    ...(await checkServers(match, servers, signal)),
    ...judgeNodes(match),
    ...judgeSecondaries(match),
    judgeDelegation(match),
  ];
}

function lookIn(api: KubeApi, signal: AbortSignal): Look {
  return async <T extends KubeObject>(kind: ResourceType, object: ObjectName) => {
    try {
      return await api.get<T>(kind, object, signal);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };
}

/** The list is empty if the kind does not exist. */
async function all<T extends KubeObject>(api: KubeApi, kind: ResourceType, signal: AbortSignal): Promise<T[]> {
  try {
    return (await api.list<T>(kind, {}, signal)).items;
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}

async function mayCreate(api: KubeApi, account: string, signal: AbortSignal): Promise<boolean> {
  const [system, kind, namespace] = account.split(':');
  const isAccount = system === 'system' && kind === 'serviceaccount';
  const groups = isAccount ? ['system:serviceaccounts', `system:serviceaccounts:${namespace}`] : [];
  const spec = { user: account, groups: [...groups, 'system:authenticated'], resourceAttributes: NEEDED_ACCESS };
  const review = await api.create(SUBJECT_ACCESS_REVIEW, { metadata: {}, spec }, signal);
  return (review as { status?: { allowed?: boolean } }).status?.allowed === true;
}

/** Removes a value that does not exist: the request uses every step and changes nothing. */
async function askSolver(api: KubeApi, signal: AbortSignal): Promise<Parameters<typeof judgeAnswer>[0]> {
  const request = { action: 'CleanUp', dnsName: 'doctor.invalid', key: 'doctor', resolvedFQDN: 'doctor.invalid.' };
  try {
    const answer = (await api.create(PAYLOAD, { metadata: {}, request }, signal)) as {
      response?: { success?: boolean; status?: { message?: string } };
    };
    const { success = false, status } = answer.response ?? {};
    return { success, ...(status?.message === undefined ? {} : { message: status.message }) };
  } catch (error) {
    if (error instanceof KubeError) return { error: error.message };
    throw error;
  }
}
