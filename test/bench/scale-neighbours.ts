// Namespaces next to one that floods the operator, with the write limits on: 300 challenges in one namespace, then
// single records of other namespaces, in zones of their own and in the zone of the flood.

import type { KubeApi } from '#kube/api/api.ts';
import { NAMESPACE } from '#kube/objects/namespaces.ts';
import { MANAGED_BY_LABEL, SOLVER_MANAGER } from '#resources/challenge.ts';
import { DNS_RECORD, type DNSRecord } from '#resources/dnsrecord.ts';
import { DNS_ZONE, type DNSZone } from '#resources/dnszone.ts';
import { RELEASE_MANY } from '#resources/names.ts';
import { delay } from '../../deploy/local/parts/wait.ts';
import { printBar } from './bars.ts';
import { watchReady } from './ready-watch.ts';
import { type Ground, inParallel } from './scale-bulk.ts';
import { figure } from './statistics.ts';
import { print } from './support.ts';

const CHALLENGES = 300;
const CREATORS = 16;
const LIMIT_MS = 300_000;
const WINDOW_MS = 60_000;
/** The flood has used its part of the window by then. */
const SETTLE_MS = 3_000;
const MAX_SECONDS = 3;
const FLOOD = 'flood';
/** Each creates its first record while the flood waits. */
const QUIET = ['quiet-own-zone', 'quiet-shared-zone', 'quiet-later'];
/** Each has a record before the flood, and edits it while the flood waits, all at the same time. */
const MANY = Array.from({ length: 20 }, (_, n) => `many-${n}`);

export async function neighbours({ api, signal }: Ground): Promise<void> {
  for (const name of [FLOOD, ...QUIET, ...MANY]) await api.create(NAMESPACE, { metadata: { name } } as never, signal);
  await zone(api, FLOOD, { zoneName: 'shared.test', allowedRecords: [{ namespaces: { from: 'All' } }] }, signal);
  for (const name of ['quiet-own-zone', 'quiet-later']) await zone(api, name, { zoneName: `${name}.test` }, signal);
  const shared = { name: 'zone', namespace: FLOOD };
  const many = await Promise.all(MANY.map((namespace) => oneRecord(api, namespace, shared, signal)));
  await delay(WINDOW_MS, signal);
  await flood(api, signal);
  for (const namespace of QUIET) {
    await delay(SETTLE_MS, signal);
    const { seconds } = await oneRecord(
      api,
      namespace,
      namespace === 'quiet-shared-zone' ? shared : { name: 'zone' },
      signal,
    );
    printBar({ what: `first record in ${namespace}, Ready`, value: seconds, most: MAX_SECONDS, unit: 's' });
  }
  const edits = await Promise.all(many.map(({ edit }) => edit()));
  print(`  edits in ${MANY.length} namespaces at once: the last Ready after ${figure(Math.max(...edits))} s`);
}

async function flood(api: KubeApi, signal: AbortSignal): Promise<void> {
  const labels = { [MANAGED_BY_LABEL]: SOLVER_MANAGER };
  const names = Array.from({ length: CHALLENGES }, (_, n) => `n${n}`);
  await inParallel(names, CREATORS, (name) => {
    const spec = { zoneRef: { name: 'zone' }, name: `_acme-challenge.${name}`, type: 'TXT', ttl: 60, content: 'token' };
    return api.create(DNS_RECORD, { metadata: { name, namespace: FLOOD, labels }, spec } as never, signal);
  });
}

/** Creates one record, or edits it later. @returns the seconds until it is Ready */
async function oneRecord(api: KubeApi, namespace: string, zoneRef: object, signal: AbortSignal) {
  const watch = await watchReady<DNSRecord>(api, DNS_RECORD, namespace, signal);
  const measureSeconds = async (generation: number, write: () => Promise<unknown>): Promise<number> => {
    const start = performance.now();
    await write();
    return ((await watch.ready('www', generation, LIMIT_MS)) - start) / 1000;
  };
  const spec = { zoneRef, name: `www-${namespace}`, type: 'A', ttl: 60, content: '192.0.2.1' };
  const object = { metadata: { name: 'www', namespace }, spec } as never;
  return {
    seconds: await measureSeconds(1, () => api.create(DNS_RECORD, object, signal)),
    edit: () =>
      measureSeconds(2, () =>
        api.merge(DNS_RECORD, { name: 'www', namespace }, { spec: { content: '192.0.2.2' } }, {}, signal),
      ),
  };
}

async function zone(api: KubeApi, namespace: string, spec: object, signal: AbortSignal): Promise<void> {
  const watch = await watchReady<DNSZone>(api, DNS_ZONE, namespace, signal);
  const metadata = { name: 'zone', namespace, annotations: { [RELEASE_MANY]: 'true' } };
  await api.create(DNS_ZONE, { metadata, spec } as never, signal);
  await watch.ready('zone', 1, LIMIT_MS);
}
