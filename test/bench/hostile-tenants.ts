// A tenant against the operator, on a real API server, REST API, Postgres and PowerDNS: `node
// test/bench/hostile-tenants.ts [starve] [memory]`.
//   starve   300 challenges of one namespace under the default write limit, and one A record of another namespace at the same time
//   memory   a zone of 600 TXT records of 64 kB, which a DNSZone adopts, uses and deletes

import { readFile } from 'node:fs/promises';
import { createClient } from '#client/client.ts';
import { createRecord } from '#contract/operations/records.ts';
import { createZone } from '#contract/operations/zones.ts';
import type { KubeApi } from '#kube/api/api.ts';
import { connectCluster } from '#kube/api/cluster.ts';
import { NAMESPACE } from '#kube/objects/namespaces.ts';
import type { KubeObject, ResourceType } from '#kube/objects/resource.ts';
import { DNS_RECORD, type DNSRecord } from '#resources/dnsrecord.ts';
import { DNS_ZONE, type DNSZone } from '#resources/dnszone.ts';
import { startStack } from '../../deploy/local/stack.ts';
import { print, runBench } from './support.ts';

const LIMIT_MS = 10 * 60_000;
const CHALLENGES = 300;
const LARGE = 600;
/** 250 strings of 255 octets, each octet written as \000. */
const CONTENT = Array.from({ length: 250 }, () => `"${'\\097'.repeat(255)}"`).join(' ');
const SECRET = resource('', 'secrets', 'Secret');
const ROLE = resource('rbac.authorization.k8s.io', 'roles', 'Role');
const ROLE_BINDING = resource('rbac.authorization.k8s.io', 'rolebindings', 'RoleBinding');

function resource(group: string, plural: string, kind: string, namespaced = true): ResourceType {
  return { group, version: 'v1', plural, kind, namespaced };
}

type Stack = Awaited<ReturnType<typeof startStack>>;

interface Ground {
  stack: Stack;
  api: KubeApi;
  signal: AbortSignal;
}

await runBench('hostile tenants', LIMIT_MS, async ({ stateDir, signal }) => {
  const wanted = process.argv.slice(2);
  for (const [name, part] of Object.entries({ starve, memory })) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const stack = await startStack({ stateDir, limits: name === 'starve', durable: false, progress: () => {}, signal });
    const { api, close } = await connectCluster({ kubeconfig: stack.cluster.kubeconfig, maxConnections: 16 });
    try {
      await part({ stack, api, signal });
    } finally {
      await close();
      await stack.stop();
    }
  }
});

async function starve({ api, signal }: Ground): Promise<void> {
  const namespaces = ['flood', 'other'];
  for (const namespace of namespaces) {
    await api.create(NAMESPACE, { metadata: { name: namespace } }, signal);
    const zone = { metadata: { name: 'zone', namespace }, spec: { zoneName: `${namespace}.example` } };
    await api.create(DNS_ZONE, zone as DNSZone, signal);
  }
  for (const namespace of namespaces) await untilReady(api, DNS_ZONE, namespace, 'zone', signal);
  const measure = async (name: string) => {
    await api.create(DNS_RECORD, record('other', name, name, 'A', '192.0.2.1'), signal);
    return `${(await untilReady(api, DNS_RECORD, 'other', name, signal)).toFixed(2)} s`;
  };
  print(`an A record alone: Ready after ${await measure('alone')}`);
  const challenge = (n: number) => ({
    ...record('flood', `c${n}`, `_acme-challenge.n${n}`, 'TXT', 'token'),
    metadata: { name: `c${n}`, namespace: 'flood', labels: { 'app.kubernetes.io/managed-by': 'zonestead-solver' } },
  });
  await Promise.all(Array.from({ length: CHALLENGES }, (_, n) => api.create(DNS_RECORD, challenge(n), signal)));
  print(`with ${CHALLENGES} challenges of another namespace: ${await measure('beside')}; bar 3 s`);
  print(`a second one: ${await measure('second')}`);
}

async function memory({ stack, api, signal }: Ground): Promise<void> {
  const { service } = stack;
  const { key, team } = service.keys.second;
  const client = createClient({ baseUrl: service.url, key, timeoutMs: 60_000 });
  const zone = await client.call(createZone, { body: { zoneName: 'heavy.example', owner: `org:${team}` } });
  for (let n = 0; n < LARGE; n += 1) {
    await client.call(createRecord, {
      params: { id: zone.id },
      body: { name: `t${n}`, type: 'TXT', content: CONTENT },
    });
  }
  await client.close();
  print(`the operator before: ${await residentMb(stack)} MB; bar 200 MB`);
  await api.create(NAMESPACE, { metadata: { name: 'tenant' } }, signal);
  await api.create(SECRET, inTenant('key', { data: { apiKey: Buffer.from(key).toString('base64') } }), signal);
  const rules = [{ apiGroups: [''], resources: ['secrets'], resourceNames: ['key'], verbs: ['get'] }];
  await api.create(ROLE, inTenant('key', { rules }), signal);
  const subjects = [{ kind: 'User', apiGroup: ROLE.group, name: 'zonestead-operator' }];
  const roleRef = { apiGroup: ROLE.group, kind: 'Role', name: 'key' };
  await api.create(ROLE_BINDING, inTenant('key', { subjects, roleRef }), signal);
  const spec = { zoneName: 'heavy.example', adopt: 'IfIdentical', credentialsSecretRef: { name: 'key' } };
  await api.create(DNS_ZONE, inTenant('heavy', { spec }) as DNSZone, signal);
  await untilReady(api, DNS_ZONE, 'tenant', 'heavy', signal);
  await settle();
  print(`adopted: at most ${await residentMb(stack, 'VmHWM')} MB`);
  for (let n = 0; n < 40; n += 1) {
    const beside = record('tenant', `r${n}`, `t${n}`, 'A', '192.0.2.1');
    await api.create(DNS_RECORD, { ...beside, spec: { ...beside.spec, zoneRef: { name: 'heavy' } } }, signal);
  }
  await untilReady(api, DNS_RECORD, 'tenant', 'r39', signal);
  await api.delete(DNS_ZONE, { namespace: 'tenant', name: 'heavy' }, {}, signal);
  await settle();
  print(`40 records used, and the zone's deletion blocked: at most ${await residentMb(stack, 'VmHWM')} MB`);
}

function inTenant(name: string, rest: object): KubeObject {
  return { metadata: { name, namespace: 'tenant' }, ...rest } as KubeObject;
}

function record(namespace: string, objectName: string, name: string, type: string, content: string): DNSRecord {
  return {
    metadata: { name: objectName, namespace },
    spec: { zoneRef: { name: 'zone' }, name, type, content },
  } as DNSRecord;
}

/** Seconds from now until the object is Ready. */
async function untilReady(
  api: KubeApi,
  type: ResourceType,
  namespace: string,
  name: string,
  signal: AbortSignal,
): Promise<number> {
  const since = performance.now();
  for (;;) {
    const { status } = await api.get<DNSRecord | DNSZone>(type, { namespace, name }, signal);
    const ready = status?.conditions?.find((each) => each.type === 'Ready');
    if (ready?.status === 'True') return (performance.now() - since) / 1_000;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Time for looks that follow a change. */
function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 8_000));
}

async function residentMb({ operator }: Stack, what = 'VmRSS'): Promise<number> {
  const { pid } = operator.part('operator');
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(new RegExp(`${what}:\\s+(\\d+)`).exec(status)?.[1]) / 1_024);
}
