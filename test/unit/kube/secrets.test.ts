// Changing Secrets while other processes write them as well.
import { expect, test } from 'vitest';
import { changeSecret, readSecret, SECRET } from '#kube/objects/secrets.ts';
import { memoryApi } from '../../support/kube/memory-api.ts';

const at = { namespace: 'ns', name: 'made' };
const { signal } = new AbortController();
const base64 = (text: string) => Buffer.from(text).toString('base64');
const secret = (data: Record<string, string>) => ({ apiVersion: 'v1', kind: 'Secret', metadata: at, data });

test('changeSecret creates a missing Secret, with its texts in base64', async () => {
  const { api, objects } = memoryApi();
  await changeSecret(api, at, () => ({ texts: { password: 'pä$$' }, labels: { a: 'b' } }), signal);
  expect(objects.get('secrets ns/made')).toMatchObject({
    type: 'Opaque',
    data: { password: 'cMOkJCQ=' },
    metadata: { labels: { a: 'b' } },
  });
  expect((await readSecret(api, at, signal))?.texts).toEqual({ password: 'pä$$' });
});

test('changeSecret writes nothing when the plan wants no change', async () => {
  const { api, put, writes } = memoryApi();
  put(SECRET, secret({ a: base64('1') }));
  expect(await changeSecret(api, at, () => null, signal)).toEqual({ a: '1' });
  expect(writes).toEqual([]);
});

test('changeSecret plans again with the values that another process wrote at the same moment, and keeps them', async () => {
  const { api, put, before } = memoryApi();
  let others = 0;
  before(() => {
    if (others++ === 0) put(SECRET, secret({ password: base64('theirs') }));
  });
  const texts = await changeSecret(
    api,
    at,
    (found) => (found?.texts.password === undefined ? { texts: { password: 'ours' } } : null),
    signal,
  );
  expect(texts).toEqual({ password: 'theirs' });
});

test('changeSecret leaves keys that the plan does not name', async () => {
  const { api, put } = memoryApi();
  put(SECRET, secret({ theirs: base64('1'), ours: base64('old') }));
  expect(await changeSecret(api, at, () => ({ texts: { ours: 'new' } }), signal)).toEqual({ theirs: '1', ours: 'new' });
  expect((await readSecret(api, at, signal))?.texts).toEqual({ theirs: '1', ours: 'new' });
});

test('changeSecret gives up on a Secret that others change each time', async () => {
  const { api, put, before, writes } = memoryApi();
  put(SECRET, secret({ a: base64('0') }));
  before(() => put(SECRET, secret({ a: base64(String(writes.length)) })));
  await expect(changeSecret(api, at, () => ({ texts: { a: 'ours' } }), signal)).rejects.toThrow('modified');
  expect(writes.length).toBeLessThan(20);
});
