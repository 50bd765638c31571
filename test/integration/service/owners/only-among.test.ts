// `onlyAmong`: an owner begins to own records at a name only if the other owners there are those that it names.
import { expect, test } from 'vitest';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService({ nameserver: false });
const { request } = service;
const [X, Y, Z] = ['app:one/x', 'app:one/y', 'app:two/z'];
const AMONG = 'app:one/';
let count = 0;

async function newZone() {
  count += 1;
  const { id } = await service.zone(`among-${count}.example`);
  const apply = async (...sets: object[]) => {
    const { status, body } = await request('POST', `/zones/${id}/records:apply`, { sets });
    expect(status).toBe(200);
    return body.results as { status: number; error?: string; field?: string; message?: string; records?: string[] }[];
  };
  const contents = async () => {
    const { body } = await request('GET', `/zones/${id}/records`);
    return (body.records as { type: string; content: string }[]).map((each) => `${each.type} ${each.content}`).sort();
  };
  return { id, apply, contents };
}

const set = (owner: string, type: string, content: string, more: object = {}) => ({
  ...{ owner, name: 'www', type, values: [{ content }] },
  ...more,
});
const among = { onlyAmong: AMONG };

test('owners that begin so add up, and an owner outside of them is a conflict in both orders', async () => {
  const zone = await newZone();
  expect(await zone.apply(set(X, 'A', '192.0.2.1', among), set(Y, 'A', '192.0.2.2', among))).toMatchObject([
    { status: 200 },
    { status: 200 },
  ]);
  expect(await zone.apply(set(Z, 'A', '192.0.2.3', { onlyAmong: 'app:two/' }))).toMatchObject([
    {
      ...{ status: 409, error: 'conflict', field: 'name', records: [expect.any(String)] },
      message: expect.stringMatching(/^name: the name has A records of app:one\/[xy]\./),
    },
  ]);
  // An owner that does not ask for it adds values as before.
  expect(await zone.apply(set(Z, 'A', '192.0.2.3'))).toMatchObject([{ status: 200 }]);
  // The first ones keep their place, and change it; others do not begin there any more.
  expect(await zone.apply(set(X, 'A', '192.0.2.4', among))).toMatchObject([{ status: 200 }]);
  expect(await zone.apply(set('app:one/w', 'A', '192.0.2.5', among))).toMatchObject([{ status: 409 }]);
  expect(await zone.contents()).toEqual(['A 192.0.2.2', 'A 192.0.2.3', 'A 192.0.2.4']);
});

test('all types with addresses count as one, and other types do not', async () => {
  const zone = await newZone();
  await zone.apply(set(Z, 'A', '192.0.2.3'));
  for (const [type, content] of [
    ['AAAA', '2001:db8::1'],
    ['CNAME', 'x.example'],
  ] as const)
    expect(await zone.apply(set(X, type, content, among))).toMatchObject([{ status: 409, field: 'name' }]);
  expect(await zone.apply(set(X, 'TXT', '"a"', among))).toMatchObject([{ status: 200 }]);
  expect(await zone.apply(set(Z, 'TXT', '"b"', { onlyAmong: 'app:two/' }))).toMatchObject([{ status: 409 }]);
});

test('a record without an owner is in the way, unless the set adopts it', async () => {
  const zone = await newZone();
  await service.record(zone, 'www', 'A', '192.0.2.1', { ttl: 300 });
  const adopting = set(X, 'A', '192.0.2.1', { ...among, ttl: 300, adopt: 'IfIdentical' });
  expect(await zone.apply(set(X, 'A', '192.0.2.2', among))).toMatchObject([
    { status: 409, message: expect.stringContaining('the name has A records without an owner') },
  ]);
  expect(await zone.apply({ ...adopting, ttl: 60 })).toMatchObject([{ status: 409 }]);
  await service.record(zone, 'www', 'A', '192.0.2.2', { ttl: 300 });
  expect(await zone.apply(adopting)).toMatchObject([{ status: 409 }]);
  const both = { ...adopting, values: [{ content: '192.0.2.1' }, { content: '192.0.2.2' }] };
  expect(await zone.apply(both)).toMatchObject([{ status: 200 }]);
});

test('a release earlier in the request makes room, and a wrong text is refused alone', async () => {
  const zone = await newZone();
  await zone.apply(set(Z, 'A', '192.0.2.1'));
  const results = await zone.apply(
    { ...set(X, 'A', '192.0.2.9'), onlyAmong: 'ö' },
    { owner: Z, name: 'www', type: 'A', values: [] },
    set(X, 'A', '192.0.2.1', among),
    { owner: X, name: 'other', type: 'A', values: [], onlyAmong: AMONG },
  );
  expect(results).toMatchObject([
    { status: 400, field: 'onlyAmong', message: expect.stringContaining('the beginning of an owner') },
    { status: 200 },
    { status: 200 },
    { status: 400, field: 'onlyAmong', message: expect.stringContaining('must be omitted') },
  ]);
  expect(await zone.contents()).toEqual(['A 192.0.2.1']);
});
