// Finalizers taken off before an uninstall.
import { expect, it } from 'vitest';
import { releaseFinalizers } from '../../../../src/cli/bootstrap/release.ts';
import { realClock } from '../../../../src/kube/clock.ts';
import { FINALIZER } from '../../../../src/operator/names.ts';
import { DNS_RECORD } from '../../../../src/operator/resources/dnsrecord.ts';
import { DNS_ZONE } from '../../../../src/operator/resources/dnszone.ts';
import { createLogger } from '../../../../src/telemetry/log.ts';
import { type MemoryApi, memoryApi } from '../../../support/memory-api.ts';

const type = (group: string, plural: string) => ({ group, version: 'v1', plural, kind: plural, namespaced: true });
const DEPLOYMENTS = type('apps', 'deployments');
const PODS = type('', 'pods');
const log = createLogger({ name: 'test', level: 'silent' });
const { signal } = new AbortController();

const object = (name: string, finalizers: string[] = []) => ({
  apiVersion: 'x/v1',
  kind: 'X',
  metadata: { namespace: 'ns', name, finalizers },
  spec: { kept: true },
});
const release = (memory: MemoryApi, timeout = 1) =>
  releaseFinalizers(
    { deployment: 'op', pods: 'a=b', timeout },
    { api: memory.api, namespace: 'ns', clock: realClock, log },
    signal,
  );
const finalizers = (memory: MemoryApi, key: string) => memory.objects.get(key)?.metadata.finalizers;

it('stops the operator first, then takes off its finalizer, and only that', async () => {
  const memory = memoryApi();
  memory.put(DEPLOYMENTS, object('op'));
  memory.put(DNS_ZONE, object('zone', [FINALIZER]));
  memory.put(DNS_RECORD, object('www', ['other.example/x', FINALIZER]));
  memory.put(DNS_RECORD, object('free', ['other.example/x']));
  await release(memory);
  expect(memory.writes).toEqual(['merge deployments ns/op/scale', 'merge dnsrecords ns/www', 'merge dnszones ns/zone']);
  expect(memory.objects.get('deployments ns/op')).toMatchObject({ spec: { replicas: 0 } });
  expect(finalizers(memory, 'dnsrecords ns/www')).toEqual(['other.example/x']);
  expect(memory.objects.get('dnszones ns/zone')).toMatchObject({ metadata: { finalizers: [] }, spec: { kept: true } });
});

it('touches nothing while a pod of the operator runs', async () => {
  const memory = memoryApi();
  memory.put(DEPLOYMENTS, object('op'));
  memory.put(PODS, object('op-1'));
  memory.put(DNS_ZONE, object('zone', [FINALIZER]));
  await expect(release(memory)).rejects.toThrow('pods of op still run after 1 s');
  expect(finalizers(memory, 'dnszones ns/zone')).toEqual([FINALIZER]);
});

it('looks again at an object that changed meanwhile, and is content without an operator', async () => {
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
