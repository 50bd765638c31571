// Comments of the records of owners: they are written when the owner's comment changes, and others may change them.
import { expect, test } from 'vitest';
import { expectWholeHistory } from '../../../support/service/history.ts';
import { startTestService } from '../../../support/service/service.ts';

const { request, sql, zone: makeZone } = await startTestService({ nameserver: false });
const [X, Y] = ['k8s:one/default/x', 'k8s:two/default/y'];

async function newZone() {
  const { id } = await makeZone();
  const path = `/zones/${id}`;
  const apply = async (set: object) => {
    const { body } = await request('POST', `${path}/records:apply`, { sets: [set] });
    return (body.results as { status: number; changed: boolean; drift: unknown[]; message?: string }[])[0];
  };
  const records = async () =>
    (await request('GET', `${path}/records`)).body.records as { id: string; content: string; comment?: string }[];
  const comments = async () => (await records()).map(({ comment }) => comment ?? null);
  const edit = async (comment: string) => {
    const [record] = await records();
    const body = { name: 'www', type: 'A', content: record?.content, comment };
    expect((await request('PUT', `${path}/records/${record?.id}`, { ...body, ttl: 60 })).status).toBe(200);
  };
  const serial = async () => (await request('GET', path)).body.serial as number;
  const changes = async () => ((await request('GET', `${path}/changes`)).body.changes as object[]).length;
  const owners = async () => (await request('GET', `${path}/owners`)).body.owners as { comment: string | null }[];
  return { apply, records, comments, edit, serial, changes, owners };
}

const set = (owner: string, more: object = {}, values = ['192.0.2.1']) => ({
  ...{ owner, name: 'www', type: 'A', ttl: 60 },
  values: values.map((content) => ({ content })),
  ...more,
});

test('an owner gives its records a comment, changes it alone without a serial or drift, and takes it back', async () => {
  const zone = await newZone();
  const of = (more: object) => set(X, { generation: 1, instance: 'one', ...more }, ['192.0.2.1', '192.0.2.2']);
  await zone.apply(of({ comment: 'web' }));
  expect(await zone.comments()).toEqual(['web', 'web']);
  expect(await zone.owners()).toMatchObject([{ comment: 'web' }]);
  const serial = await zone.serial();
  // The generation is the same: an annotation does not change that of its object.
  expect(await zone.apply(of({ comment: 'site' }))).toMatchObject({ status: 200, changed: false, drift: [] });
  expect(await zone.comments()).toEqual(['site', 'site']);
  const changes = await zone.changes();
  expect(await zone.apply(of({ comment: 'site' }))).toMatchObject({ status: 200, changed: false });
  expect(await zone.changes()).toBe(changes);
  expect(await zone.apply(of({}))).toMatchObject({ status: 200, changed: false });
  expect(await zone.comments()).toEqual([null, null]);
  expect(await zone.serial()).toBe(serial);
  await expectWholeHistory(sql);
});

test('a comment that others wrote is not drift, and stays until the owner has another one', async () => {
  const zone = await newZone();
  await zone.apply(set(X, { comment: 'web' }));
  await zone.edit('by hand');
  expect(await zone.apply(set(X, { comment: 'web' }))).toMatchObject({ changed: false, drift: [] });
  expect(await zone.comments()).toEqual(['by hand']);
  // A new value keeps the record and its comment.
  await zone.apply(set(X, { comment: 'web' }, ['192.0.2.5']));
  expect(await zone.comments()).toEqual(['by hand']);
  await zone.apply(set(X, {}, ['192.0.2.5']));
  expect(await zone.comments()).toEqual(['by hand']);
  await zone.apply(set(X, { comment: 'new' }, ['192.0.2.5']));
  expect(await zone.comments()).toEqual(['new']);
});

test('the comment is written under each treatment of drift', async () => {
  const zone = await newZone();
  for (const drift of ['Report', 'Ignore']) {
    await zone.apply(set(X, { drift, comment: `web ${drift}` }));
    await zone.apply(set(X, { drift, comment: `site ${drift}` }));
    expect(await zone.comments()).toEqual([`site ${drift}`]);
  }
});

test('owners that share a record do not undo the comment of each other, and a release gives it to the next', async () => {
  const zone = await newZone();
  const [x, y] = [set(X, { share: true, comment: 'x' }), set(Y, { share: true, comment: 'y' })];
  await zone.apply(x);
  await zone.apply(y);
  expect(await zone.comments()).toEqual(['y']);
  const changes = await zone.changes();
  for (const each of [x, y, x]) expect(await zone.apply(each)).toMatchObject({ changed: false });
  expect([await zone.comments(), await zone.changes()]).toEqual([['y'], changes]);
  await zone.apply({ owner: Y, name: 'www', type: 'A', values: [] });
  expect(await zone.comments()).toEqual(['x']);
});

test('a wrong comment refuses its set', async () => {
  const zone = await newZone();
  const refused = await zone.apply(set(X, { comment: 'x'.repeat(501) }));
  expect(refused).toMatchObject({ status: 400, error: 'bad_request', field: 'comment' });
  expect(refused?.message).toContain('at most 500');
  expect(await zone.records()).toEqual([]);
});
