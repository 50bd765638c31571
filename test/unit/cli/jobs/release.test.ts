// The removal of finalizers before an uninstall.
import { expect, test } from 'vitest';
import { realClock } from '#base/clock.ts';
import { releaseFinalizers, releaseOptions } from '#cli/jobs/release.ts';
import { DNS_ZONE } from '#resources/dnszone.ts';
import { FINALIZER } from '#resources/names.ts';
import { createLogger } from '#telemetry/log.ts';
import { type MemoryApi, memoryApi } from '../../../support/kube/memory-api.ts';

const type = (group: string, plural: string) => ({ group, version: 'v1', plural, kind: plural, namespaced: true });
const DEPLOYMENTS = type('apps', 'deployments');
const STATEFUL_SETS = type('apps', 'statefulsets');
const PODS = type('', 'pods');
const log = createLogger({ name: 'test', level: 'silent' });
const { signal } = new AbortController();

const object = (name: string, finalizers: string[] = []) => ({
  apiVersion: 'x/v1',
  kind: 'X',
  metadata: { namespace: 'ns', name, finalizers },
  spec: { kept: true },
});
const release = (memory: MemoryApi, timeout = 1, kind = 'deployment') =>
  releaseFinalizers(
    { workload: [kind, 'op'], pods: 'a=b', timeout },
    { api: memory.api, namespace: 'ns', clock: realClock, log },
    signal,
  );
const finalizers = (memory: MemoryApi, key: string) => memory.objects.get(key)?.metadata.finalizers;

test('the job stops the operator first, then removes its finalizer and no other', async () => {
  const memory = memoryApi();
  memory.put(DEPLOYMENTS, object('op'));
  memory.put(DNS_ZONE, object('zone', [FINALIZER]));
  memory.put(DNS_ZONE, object('both', ['other.example/x', FINALIZER]));
  memory.put(DNS_ZONE, object('free', ['other.example/x']));
  await release(memory);
  expect(memory.writes).toEqual(['merge deployments ns/op/scale', 'merge dnszones ns/zone', 'merge dnszones ns/both']);
  expect(memory.objects.get('deployments ns/op')).toMatchObject({ spec: { replicas: 0 } });
  expect(finalizers(memory, 'dnszones ns/both')).toEqual(['other.example/x']);
  expect(memory.objects.get('dnszones ns/zone')).toMatchObject({ metadata: { finalizers: [] }, spec: { kept: true } });
});

test('the job stops the StatefulSet in whose pod the operator is', async () => {
  const memory = memoryApi();
  memory.put(STATEFUL_SETS, object('op'));
  await release(memory, 1, 'statefulset');
  expect(memory.writes).toEqual(['merge statefulsets ns/op/scale']);
});

test.each(['op', 'daemonset/op', 'deployment/'])(
  'the job refuses the workload %s with the accepted ones',
  (workload) => {
    expect(() => releaseOptions({ workload, pods: 'a=b' })).toThrow('deployment/<name> or statefulset/<name>');
  },
);

test('the job changes nothing while a pod of the operator runs', async () => {
  const memory = memoryApi();
  memory.put(DEPLOYMENTS, object('op'));
  memory.put(PODS, object('op-1'));
  memory.put(DNS_ZONE, object('zone', [FINALIZER]));
  await expect(release(memory)).rejects.toThrow('pods of op are still running after 1 s');
  expect(finalizers(memory, 'dnszones ns/zone')).toEqual([FINALIZER]);
});

test('the job retries an object that changed in the meantime, and works without an operator', async () => {
  const memory = memoryApi();
  memory.put(DNS_ZONE, object('zone', [FINALIZER]));
  let changes = 0;
  memory.before((write) => {
    if (write.includes('dnszones') && changes++ === 0)
      memory.put(DNS_ZONE, object('zone', [FINALIZER, 'late.example/x']));
  });
  await release(memory);
  expect(finalizers(memory, 'dnszones ns/zone')).toEqual(['late.example/x']);
});
