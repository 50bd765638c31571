// The same work in one run on one machine by Zonestead and by external-dns with an unmodified PowerDNS: from the apply of
// objects to the first right answers. Both use the same API server, and take turns: `node test/bench/peers.ts`.
//
// external-dns is set to be fast: it acts on each event at once and looks as often as it may at the API server. Its zone
// is not signed, because the PowerDNS provider does not sign; the zone of Zonestead is.
import { join } from 'node:path';
import type { KubeApi } from '#kube/api/api.ts';
import { connectCluster } from '#kube/api/cluster.ts';
import type { KubeObject, ResourceType } from '#kube/objects/resource.ts';
import { ask, type ProbeAnswer, type ProbeEndpoint } from '#nameserver/probe/probe.ts';
import { DNS_RECORD } from '#resources/dnsrecord.ts';
import { DNS_ZONE, type DNSZone } from '#resources/dnszone.ts';
import { allocatePorts } from '../../deploy/local/parts/ports.ts';
import { startProcess } from '../../deploy/local/parts/process.ts';
import { delay } from '../../deploy/local/parts/wait.ts';
import { type Stack, startStack } from '../../deploy/local/stack.ts';
import { ensureExternalDns } from '../support/external-dns/external-dns.ts';
import { watchReady } from './ready-watch.ts';
import { inParallel } from './scale-bulk.ts';
import { figure } from './statistics.ts';
import { type StockPowerDns, startStockBeside } from './stock-powerdns.ts';
import { type Bench, isSignedAddress, numberedAddress, outOfStep, print, printSummaries, runBench } from './support.ts';

const ROUNDS = 40;
const MANY = 1_000;
const CREATORS = 16;
const LIMIT_MS = 30 * 60_000;
const ANSWER_LIMIT_MS = 5 * 60_000;
const PAUSE_MS = 300;
const NAMESPACE = 'default';

interface Side {
  readonly name: string;
  readonly zone: string;
  readonly dns: ProbeEndpoint;
  apply(name: string, address: string): Promise<unknown>;
  isRight(address: string): (answer: ProbeAnswer) => boolean;
}

const DNS_ENDPOINT: ResourceType = {
  group: 'externaldns.k8s.io',
  version: 'v1alpha1',
  plural: 'dnsendpoints',
  kind: 'DNSEndpoint',
  namespaced: true,
};

function isAddress(address: string): (answer: ProbeAnswer) => boolean {
  const octets = address.split('.').map(Number).join();
  return ({ rcode, answers }) =>
    rcode === 0 && answers.some(({ type, rdata }) => type === 1 && rdata.join() === octets);
}

async function zonestead(bench: Bench, stack: Stack, api: KubeApi): Promise<Side> {
  const zones = await watchReady<DNSZone>(api, DNS_ZONE, NAMESPACE, bench.signal);
  const zone = { metadata: { name: 'peers', namespace: NAMESPACE }, spec: { zoneName: 'ours.test' } };
  await api.apply<KubeObject>(DNS_ZONE, zone as never, { fieldManager: 'bench' }, bench.signal);
  await zones.ready('peers', 1, ANSWER_LIMIT_MS);
  const apply = (name: string, content: string) => {
    const spec = { zoneRef: { name: 'peers' }, name, type: 'A', ttl: 60, content };
    const draft = { metadata: { name, namespace: NAMESPACE }, spec };
    return api.apply(DNS_RECORD, draft as never, { fieldManager: 'bench' }, bench.signal);
  };
  return { name: 'Zonestead', zone: 'ours.test', dns: stack.service.dns, apply, isRight: isSignedAddress };
}

async function externalDns(bench: Bench, stack: Stack, api: KubeApi): Promise<Side> {
  const { signal, stateDir, atEnd } = bench;
  const stock = await startStockBeside(bench, stack.service.databaseUrl);
  await createZone(stock, 'theirs.test');
  const { command, crd } = await ensureExternalDns(signal);
  await stack.cluster.kubectl(['apply', '--server-side', '-f', crd]);
  await stack.cluster.kubectl(['wait', '--for=condition=Established', '--timeout=60s', '-f', crd]);
  const { metrics = 0 } = await allocatePorts([{ name: 'metrics' }], { stateDir });
  const part = startProcess({
    name: 'external-dns',
    command,
    args: [
      ...['--source=crd', '--provider=pdns', '--registry=noop', '--events', '--min-event-sync-interval=1ms'],
      ...['--interval=1m', '--kube-api-qps=1000', '--kube-api-burst=1000', '--log-level=warning'],
      ...[`--pdns-server=${new URL(stock.url).origin}`, `--pdns-api-key=${stock.headers['x-api-key']}`],
      ...[`--domain-filter=theirs.test`, `--namespace=${NAMESPACE}`, `--kubeconfig=${stack.cluster.kubeconfig}`],
      `--metrics-address=127.0.0.1:${metrics}`,
    ],
    logFile: join(stateDir, 'external-dns.log'),
  });
  atEnd(() => part.stop());
  const apply = (name: string, address: string) => {
    const endpoint = { dnsName: `${name}.theirs.test`, recordType: 'A', recordTTL: 60, targets: [address] };
    const draft = { metadata: { name, namespace: NAMESPACE }, spec: { endpoints: [endpoint] } };
    return api.apply(DNS_ENDPOINT, draft as never, { fieldManager: 'bench' }, signal);
  };
  return { name: 'external-dns with PowerDNS', zone: 'theirs.test', dns: stock.dns, apply, isRight: isAddress };
}

async function createZone({ url, headers }: StockPowerDns, name: string): Promise<void> {
  const body = JSON.stringify({ name: `${name}.`, kind: 'Native', nameservers: ['ns1.zonestead.test.'] });
  const answer = await fetch(`${url}/zones`, { method: 'POST', headers, body });
  if (!answer.ok) throw new Error(`PowerDNS did not create ${name}: ${answer.status} ${await answer.text()}`);
}

async function untilAnswered(side: Side, name: string, address: string, betweenMs: number, signal: AbortSignal) {
  const question = { name: `${name}.${side.zone}`, type: 'A', dnssec: true } as const;
  const since = performance.now();
  while (!side.isRight(address)(await ask(side.dns, question, { signal }))) {
    if (performance.now() - since > ANSWER_LIMIT_MS) throw new Error(`${side.name} does not answer for ${name}`);
    await delay(betweenMs, signal);
  }
}

async function run(bench: Bench): Promise<void> {
  const { stateDir, signal } = bench;
  const stack = await startStack({ stateDir, limits: false, durable: true, progress: () => {}, signal });
  bench.atEnd(() => stack.stop());
  const { api, close } = await connectCluster({ kubeconfig: stack.cluster.kubeconfig, maxConnections: 64 });
  bench.atEnd(close);
  const sides = [await zonestead(bench, stack, api), await externalDns(bench, stack, api)];
  const samples: Record<string, number[]> = {};
  for (let n = -5; n < ROUNDS; n++) {
    for (const side of sides) {
      await outOfStep(PAUSE_MS, signal);
      const [name, address] = [`one${n + 5}`, numberedAddress(n + 5)];
      const start = performance.now();
      await side.apply(name, address);
      await untilAnswered(side, name, address, 2, signal);
      // The first rounds warm up.
      if (n >= 0) samples[side.name] = [...(samples[side.name] ?? []), performance.now() - start];
    }
  }
  print('from the apply of one object to its answer, in ms:');
  printSummaries(samples);
  const all = Array.from({ length: MANY }, (_, n) => [`many${n}`, numberedAddress(1_000 + n)] as const);
  for (const side of sides) {
    const start = performance.now();
    await inParallel(all, CREATORS, ([name, address]) => side.apply(name, address));
    for (const [name, address] of all) await untilAnswered(side, name, address, 100, signal);
    print(
      `${side.name}: ${MANY} objects at once are all answered after ${figure((performance.now() - start) / 1000)} s`,
    );
  }
}

await runBench('Zonestead and external-dns with PowerDNS', LIMIT_MS, run);
