// A key at its limit of 60 writes a minute: 300 records wait, then a certificate is requested. The operator is
// restarted behind a proxy that records every request.

import { MANAGED_BY_LABEL, SOLVER_MANAGER } from '#resources/challenge.ts';
import { DNS_RECORD } from '#resources/dnsrecord.ts';
import { startCommand } from '../../deploy/local/parts/command.ts';
import { allocatePorts } from '../../deploy/local/parts/ports.ts';
import { delay } from '../../deploy/local/parts/wait.ts';
import { startRecordingProxy } from '../support/http/recording-proxy.ts';
import { create, type Ground, inParallel, newRecords, ready as zonesReady } from './scale-bulk.ts';
import { figure } from './statistics.ts';
import { print } from './support.ts';

const WAITING = 300;
const LIMIT_MS = 150_000;
/** The window is used up by then, and the next place is far away. */
const SETTLE_MS = 10_000;

export async function limited(ground: Ground): Promise<void> {
  const { stack, api, records, stateDir, signal } = ground;
  await zonesReady(ground, 1);
  await stack.operator.stop('operator');
  const proxy = await startRecordingProxy(stack.service.url);
  const { health } = await allocatePorts([{ name: 'health' }], { stateDir });
  const operator = await startCommand({
    name: 'operator',
    env: {
      KUBECONFIG: stack.cluster.operatorKubeconfig,
      ZONESTEAD_URL: proxy.url,
      ZONESTEAD_API_KEY: stack.service.keys.operator.key,
      ZONESTEAD_NAMESERVER_ADDRESSES: stack.service.nameserverAddresses,
    },
    healthPort: health,
    stateDir,
    signal,
  });
  try {
    await inParallel(newRecords(WAITING, 1), 16, (each) => create(ground, each));
    await delay(SETTLE_MS, signal);
    const spec = {
      zoneRef: { name: 'scale0' },
      name: '_acme-challenge.www',
      type: 'TXT',
      ttl: 60,
      content: 'token',
    };
    const labels = { [MANAGED_BY_LABEL]: SOLVER_MANAGER };
    await api.create(
      DNS_RECORD,
      { metadata: { name: 'challenge', namespace: 'default', labels }, spec } as never,
      signal,
    );
    const ready = await records.ready('challenge', 1, LIMIT_MS);
    const writes = proxy.exchanges.filter(({ method, path }) => method !== 'GET' && path.includes('/records'));
    const refusals = writes.filter(({ status }) => status === 429);
    const early = refusals.flatMap(({ answeredAt = 0, retryAfterMs = 0 }) =>
      writes.filter(({ at }) => at > answeredAt && at < answeredAt + retryAfterMs),
    );
    const last = refusals
      .filter(({ answeredAt = 0 }) => answeredAt < ready)
      .map(({ answeredAt = 0, retryAfterMs = 0 }) => answeredAt + retryAfterMs)
      .filter((at) => at < ready)
      .at(-1);
    print(
      `challenge among ${WAITING} waiting: Ready ${figure((ready - (last ?? Number.NaN)) / 1000)} s after the slot`,
    );
    print(
      `  ${writes.length} writes, ${refusals.length} answered 429, ${early.length} sent before Retry-After was over`,
    );
  } finally {
    await operator.stop();
    await proxy.close();
  }
}
