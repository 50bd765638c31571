// The writes of a client that interceptors see.
import { expect, test } from 'vitest';
import { interceptClientWrites } from '#client/write-interceptor.ts';
import { sendHeartbeat } from '#contract/operations/clusters.ts';
import { chooseZoneSecondaries } from '#contract/operations/secondaries.ts';
import { deleteZone, getZone } from '#contract/operations/zones.ts';
import { fakeClient, on } from '../../support/service/fake-client.ts';

test('an interceptor sees each operation that changes DNS data, with the ids of its request', async () => {
  const seen: unknown[] = [];
  const plain = fakeClient(
    on(getZone, () => ({}) as never),
    on(deleteZone, () => null),
    on(chooseZoneSecondaries, () => ({ secondaries: [] })),
    on(sendHeartbeat, () => ({}) as never),
  );
  const client = interceptClientWrites(plain, (write, run) => {
    seen.push(write);
    return run();
  });
  const params = { id: 'zone_1' };
  await client.call(getZone, { params });
  await client.call(sendHeartbeat, { params: { name: 'east' } });
  await client.call(deleteZone, { params }, { requestId: 'r1' });
  await client.call(chooseZoneSecondaries, { params, body: { secondaries: [] } }, { requestIds: ['r2', 'r3'] });
  expect(seen).toEqual([
    { name: 'deleteZone', requestId: 'r1' },
    { name: 'chooseZoneSecondaries', requestIds: ['r2', 'r3'] },
  ]);
});
