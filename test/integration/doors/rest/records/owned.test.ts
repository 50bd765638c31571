// A change of records that have owners: the answer names the owners, in a header and in a field, and plain clients
// notice nothing.
import { expect, test } from 'vitest';
import { startTestService } from '../../../../support/service/service.ts';

const service = await startTestService({ nameserver: false });
const { request } = service;
const WWW = 'k8s:prod/default/www';
const zone = await service.zone('owned.example');
const path = `/zones/${zone.id}/records`;
const body = (content: string) => ({ name: 'www', type: 'A', content });

async function owned(values: string[], ...owners: string[]): Promise<string[]> {
  const sets = owners.map((owner) => ({
    ...{ owner, name: 'www', type: 'A', share: true },
    values: values.map((content) => ({ content })),
  }));
  const reply = await request('POST', `${path}:apply`, { sets });
  const [first] = reply.body.results as { records: { id: string }[] }[];
  return (first?.records ?? []).map(({ id }) => id);
}

test('the answers to a replacement, a deletion and a batch name the owners', async () => {
  const [one = '', two = '', three = ''] = await owned(['192.0.2.1', '192.0.2.2', '192.0.2.3'], WWW);
  const put = await request('PUT', `${path}/${one}`, body('192.0.2.11'));
  expect(put).toMatchObject({ status: 200, body: { content: '192.0.2.11', owners: [WWW] } });
  expect(put.headers['zonestead-owners']).toBe(WWW);
  const deleted = await request('DELETE', `${path}/${two}`);
  expect([deleted.status, deleted.headers['zonestead-owners']]).toEqual([204, WWW]);
  const changes = [
    { action: 'create', record: { name: 'free', type: 'A', content: '192.0.2.9' } },
    { action: 'update', id: one, record: body('192.0.2.12') },
    { action: 'delete', id: three },
  ];
  const batch = await request('POST', `${path}:batch`, { changes });
  expect(batch.headers['zonestead-owners']).toBe(WWW);
  const results = batch.body.results as { status: number; owners?: string[]; record?: { owners?: string[] } }[];
  expect(results.map(({ status, owners, record }) => [status, owners ?? record?.owners])).toEqual([
    [201, undefined],
    [200, [WWW]],
    [204, [WWW]],
  ]);
  await request('DELETE', `${path}/${one}`);
});

test('records are read with their owners, in lists on request, and may be sent back as they were read', async () => {
  const [id = ''] = await owned(['192.0.2.1'], WWW);
  const free = await request('POST', path, { name: 'plain', type: 'A', content: '192.0.2.1' });
  expect(free.body).not.toHaveProperty('owners');
  const one = await request('GET', `${path}/${id}`);
  expect(one.body.owners).toEqual([WWW]);
  const byName = async (query: string) => {
    const { body: list } = await request('GET', `${path}?name=www${query}`);
    return (list.records as { owners?: string[] }[]).map(({ owners }) => owners);
  };
  expect(await byName('')).toEqual([undefined]);
  expect(await byName('&owners=true')).toEqual([[WWW]]);
  expect(await byName('&owners=true&limit=10')).toEqual([[WWW]]);
  const back = await request('PUT', `${path}/${id}`, { ...one.body, content: '192.0.2.5' });
  expect(back.status).toBe(200);
  expect(back.headers.etag).not.toBe(one.headers.etag);
  const untouched = await request('PUT', `${path}/${free.body.id}`, { ...free.body, content: '192.0.2.6' });
  expect([untouched.status, untouched.headers['zonestead-owners']]).toEqual([200, undefined]);
  await request('DELETE', `${path}/${id}`);
});

test('an id that no record can have is answered 404, and not with an error of the service', async () => {
  const batch = await request('POST', `${path}:batch`, { changes: [{ action: 'delete', id: 'a\0b' }] });
  const [deleted, put] = [
    await request('DELETE', `${path}/a%00b`),
    await request('PUT', `${path}/a%00b`, body('192.0.2.1')),
  ];
  expect([batch.status, deleted.status, put.status]).toEqual([404, 404, 404]);
});

test('the header has five owners at most, and a refused change names none', async () => {
  const owners = Array.from({ length: 7 }, (_, n) => `k8s:c${n}/default/www`);
  const [id = ''] = await owned(['192.0.2.1'], ...owners);
  const put = await request('PUT', `${path}/${id}`, body('192.0.2.8'));
  expect(put.headers['zonestead-owners']).toBe(`${owners.slice(0, 5).join(', ')}, and 2 more`);
  expect(put.body.owners).toEqual(owners);
  const reader = await service.key({ records: 'read' });
  const refused = await request('DELETE', `${path}/${id}`, undefined, reader.text);
  expect([refused.status, refused.headers['zonestead-owners']]).toEqual([403, undefined]);
});
