// Certificates: how long a Present takes with the chain warm, whether fifty at one name lose any, how long twenty
// certificates take through the real cert-manager, and what the solver weighs.
import { readFile } from 'node:fs/promises';
import type { KubeApi } from '#kube/api/api.ts';
import { connectCluster } from '#kube/api/cluster.ts';
import type { KubeObject, ResourceType } from '#kube/objects/resource.ts';
import { ask } from '#nameserver/probe/probe.ts';
import { DNS_ZONE, type DNSZone } from '#resources/dnszone.ts';
import { startStack } from '../../deploy/local/stack.ts';
import { certificateObject } from '../support/cert-manager/certificates.ts';
import { watchReady } from './ready-watch.ts';
import { type Bench, print, printSummaries, runBench } from './support.ts';

const LIMIT_MS = 15 * 60_000;
const ROUNDS = 100;
const AT_ONCE = 50;
const CERTIFICATES = 20;
const ZONE = 'bench.example';

const PAYLOAD: ResourceType = {
  group: 'acme.zonestead.dev',
  version: 'v1alpha1',
  plural: 'zonestead',
  kind: 'ChallengePayload',
  namespaced: false,
};
const CERTIFICATE: ResourceType = {
  group: 'cert-manager.io',
  version: 'v1',
  plural: 'certificates',
  kind: 'Certificate',
  namespaced: true,
};

async function challenge(api: KubeApi, action: 'Present' | 'CleanUp', name: string, key: string): Promise<void> {
  const request = {
    uid: '',
    action,
    type: 'dns-01',
    dnsName: `${name}.${ZONE}`,
    key,
    resourceNamespace: 'default',
    resolvedFQDN: `_acme-challenge.${name}.${ZONE}.`,
    allowAmbientCredentials: false,
  };
  const answer = (await api.create(PAYLOAD, { metadata: {}, request })) as unknown as {
    response: { success: boolean; status?: { message: string } };
  };
  if (!answer.response.success) throw new Error(`${action} ${name}: ${answer.response.status?.message}`);
}

async function run(bench: Bench): Promise<void> {
  const { stateDir, signal } = bench;
  const stack = await startStack({
    stateDir,
    limits: false,
    certManager: true,
    durable: true,
    progress: () => {},
    signal,
  });
  bench.atEnd(() => stack.stop());
  const { issuance } = stack;
  if (issuance === undefined) throw new Error('the stack has no issuance');
  const admin = await connectCluster({ kubeconfig: stack.cluster.kubeconfig });
  bench.atEnd(admin.close);
  const certManager = await connectCluster({ kubeconfig: issuance.certManagerKubeconfig, maxConnections: 64 });
  bench.atEnd(certManager.close);
  const zones = await watchReady<DNSZone>(admin.api, DNS_ZONE, 'default', signal);
  const spec = { zoneName: ZONE, acme: {} };
  const zone = await admin.api.create(DNS_ZONE, { metadata: { name: 'bench', namespace: 'default' }, spec });
  await zones.ready('bench', zone.metadata.generation ?? 1, 60_000);

  const samples: Record<string, number[]> = { Present: [], CleanUp: [] };
  for (let n = -10; n < ROUNDS; n++) {
    for (const action of ['Present', 'CleanUp'] as const) {
      const since = performance.now();
      await challenge(certManager.api, action, `warm${n + 10}`, `key-${n + 10}`);
      if (n >= 0) samples[action]?.push(performance.now() - since);
    }
  }

  const keys = Array.from({ length: AT_ONCE }, (_, n) => `at-once-${n}`);
  const parallel: number[] = [];
  await Promise.all(
    keys.map(async (key) => {
      const since = performance.now();
      await challenge(certManager.api, 'Present', 'same', key);
      parallel.push(performance.now() - since);
    }),
  );
  const question = { name: `_acme-challenge.same.${ZONE}`, type: 'TXT' } as const;
  const { answers } = await ask(stack.service.dns, question, { transport: 'tcp', signal });
  const served = answers.filter(({ type }) => type === 16).length;
  await Promise.all(keys.map((key) => challenge(certManager.api, 'CleanUp', 'same', key)));
  print('Bar of a Present with the chain warm: p50 < 300 ms, p99 < 2 s.');
  printSummaries({ ...samples, [`Present, ${AT_ONCE} at one name`]: parallel });
  print(`${AT_ONCE} Presents at one name: ${served} of ${AT_ONCE} served (bar: all)`);

  const certificates = await watchReady(admin.api, CERTIFICATE, 'default', signal);
  const since = performance.now();
  const names = Array.from({ length: CERTIFICATES }, (_, n) => `many-${n}`);
  await Promise.all(
    names.map((name) => {
      const object = certificateObject(name, [`${name}.${ZONE}`]) as KubeObject & { spec: object };
      return admin.api.create(CERTIFICATE, { metadata: object.metadata, spec: object.spec });
    }),
  );
  await Promise.all(names.map((name) => certificates.ready(name, 1, 300_000)));
  print(`${CERTIFICATES} certificates at once: ${((performance.now() - since) / 1000).toFixed(1)} s (bar: 20 s)`);

  const solver = issuance.running.part('solver');
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(await readFile(`/proc/${solver.pid}/status`, 'utf8')) ?? [];
  print(`solver: ${(Number(kilobytes) / 1024).toFixed(0)} MiB resident (bar: 120 MB)`);
  await solver.stop();
  const start = performance.now();
  await issuance.running.start('solver');
  print(`solver: ready in ${((performance.now() - start) / 1000).toFixed(1)} s (bar: 2 s)`);
}

await runBench('certificates', LIMIT_MS, run);
