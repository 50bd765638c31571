// Namespaces beside one that floods the operator, with the write limits on: 300 challenges in one namespace, then single
// records of other namespaces, in zones of their own and in the zone of the flood.

import type { KubeApi } from '#kube/api/api.ts';
import { NAMESPACE } from '#kube/objects/namespaces.ts';
import { MANAGED_BY, SOLVER_MANAGER } from '#resources/challenge.ts';
import { DNS_RECORD, type DNSRecord } from '#resources/dnsrecord.ts';
import { DNS_ZONE, type DNSZone } from '#resources/dnszone.ts';
import { delay } from '../../deploy/local/parts/wait.ts';
import { watchReady } from './ready-watch.ts';
import { type Ground, inParallel } from './scale-bulk.ts';
import { figure } from './statistics.ts';
import { print } from './support.ts';

const CHALLENGES = 300;
const CREATORS = 16;
const LIMIT_MS = 300_000;
/** The flood has used its part of the window by then. */
const SETTLE_MS = 3_000;
const FLOOD = 'flood';
/** Each creates one record while the flood waits. */
const QUIET = ['quiet-own-zone', 'quiet-shared-zone', 'quiet-later'];

export async function neighbours({ api, signal }: Ground): Promise<void> {
  for (const name of [FLOOD, ...QUIET]) await api.create(NAMESPACE, { metadata: { name } } as never, signal);
  const allowedRecords = [{ namespaces: { from: 'All' } }];
  await zone(api, FLOOD, { zoneName: 'shared.test', allowedRecords }, signal);
  for (const name of ['quiet-own-zone', 'quiet-later']) await zone(api, name, { zoneName: `${name}.test` }, signal);
  await inParallel(Array.from({ length: CHALLENGES }, (_, n) => n), CREATORS, (n) => {
    const labels = { [MANAGED_BY]: SOLVER_MANAGER };
    const spec = { zoneRef: { name: 'zone' }, name: `_acme-challenge.n${n}`, type: 'TXT', ttl: 60, content: `token-${n}` };
    return api.create(DNS_RECORD, { metadata: { name: `c${n}`, namespace: FLOOD, labels }, spec } as never, signal);
  });
  for (const namespace of QUIET) {
    await delay(SETTLE_MS, signal);
    const spec = {
      zoneRef: namespace === 'quiet-shared-zone' ? { name: 'zone', namespace: FLOOD } : { name: 'zone' },
      name: `www-${namespace}`,
      type: 'A',
      ttl: 60,
      content: '192.0.2.1',
    };
    const watch = await watchReady<DNSRecord>(api, DNS_RECORD, namespace, signal);
    const start = performance.now();
    await api.create(DNS_RECORD, { metadata: { name: 'www', namespace }, spec } as never, signal);
    const ready = await watch.ready('www', 1, LIMIT_MS);
    print(`  record in ${namespace}: Ready ${figure((ready - start) / 1000)} s after it was created`);
  }
}

async function zone(api: KubeApi, namespace: string, spec: object, signal: AbortSignal): Promise<void> {
  const watch = await watchReady<DNSZone>(api, DNS_ZONE, namespace, signal);
  await api.create(DNS_ZONE, { metadata: { name: 'zone', namespace }, spec } as never, signal);
  await watch.ready('zone', 1, LIMIT_MS);
}
