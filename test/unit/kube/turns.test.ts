// Which calls to the API server wait for the turn of their namespace.
import { expect, test } from 'vitest';
import type { KubeApi } from '#kube/api/api.ts';
import { inTurns } from '#kube/api/turns.ts';
import { DNS_RECORD } from '#resources/dnsrecord.ts';

test('calls about one object wait for the turn of its namespace, and lists do not wait', async () => {
  const turns: string[] = [];
  const done = async () => undefined;
  const calls = { get: done, list: done, merge: done, replaceStatus: done };
  const api = inTurns(calls as unknown as KubeApi, {
    run: (group, work) => {
      turns.push(group);
      return work();
    },
  });
  await api.get(DNS_RECORD, { namespace: 'a', name: 'www' });
  await api.merge(DNS_RECORD, { namespace: 'b', name: 'www' }, {});
  await api.replaceStatus(DNS_RECORD, { metadata: { namespace: 'c', name: 'www' }, status: {} });
  await api.list(DNS_RECORD, { namespace: 'd' });
  expect(turns).toEqual(['a', 'b', 'c']);
});
