// Weights over REST and DNS: the whole way from a record to the answers of a real name server. Knot 3.2 answers with
// all records.
import { expect, test } from 'vitest';
import { startTestService } from '../../support/service/service.ts';

const service = await startTestService();
const { request, dns } = service;

const answersOf = async (name: string, questions = 40) => {
  const lookups = await Promise.all(Array.from({ length: questions }, () => dns.lookup(name, 'A')));
  return new Set(lookups.map(({ answers }) => answers.map((line) => line.split(' ').at(-1)).join(' ')));
};
const versionOf = async () => {
  const { body } = await request('GET', '/../admin/nodes');
  return JSON.stringify(body);
};

test('a name is answered with one record at a time from the first weight on, and with all after the last one', async () => {
  const zone = await service.zone('weights.example');
  const name = 'www.weights.example';
  const [one, two] = ['192.0.2.1', '192.0.2.2'];
  const first = (await service.record(zone, 'www', 'A', one)) as { id: string };
  const second = (await service.record(zone, 'www', 'A', two)) as { id: string };
  expect(await answersOf(name, 1)).toEqual(new Set([`${one} ${two}`]));
  const put = (id: string, content: string, weight: number | null) =>
    request('PUT', `/zones/${zone.id}/records/${id}`, { name: 'www', type: 'A', content, weight });
  expect(await put(first.id, one, 1)).toMatchObject({ status: 200, body: { weight: 1 } });
  const draws = !(await versionOf()).includes('without weights');
  const drawn = draws ? new Set([one, two]) : new Set([`${one} ${two}`]);
  await expect.poll(() => answersOf(name)).toEqual(drawn);
  expect((await dns.delv('weights.example', name, 'A')).state).toBe('secure');
  expect(await put(second.id, two, 255)).toMatchObject({ status: 200 });
  const { body } = await request('GET', `/zones/${zone.id}/changes`);
  expect(JSON.stringify(body)).toContain('"weight":255');
  expect(await put(first.id, one, null)).toMatchObject({ status: 200 });
  expect(await put(second.id, two, null)).toMatchObject({ status: 200 });
  await expect.poll(() => answersOf(name)).toEqual(new Set([`${one} ${two}`]));
});

test('a weight is a whole number from 1 to 255, of an address at a name that is not a wildcard', async () => {
  const zone = await service.zone('refused.example');
  const post = (body: object) => request('POST', `/zones/${zone.id}/records`, body);
  const a = { name: 'www', type: 'A', content: '192.0.2.1' };
  for (const weight of [0, 256, 1.5, '1']) expect(await post({ ...a, weight })).toMatchObject({ status: 400 });
  const refusals = [
    [{ ...a, name: '*.dev', weight: 1 }, 'The wildcard *.dev has no weight'],
    [{ name: 'alias', type: 'CNAME', content: 'www.example.com', weight: 1 }, 'A CNAME record has no weight'],
  ] as const;
  for (const [body, words] of refusals) {
    const { status, text } = await post(body);
    expect({ status, isSaid: text.includes(words) }, text).toEqual({ status: 400, isSaid: true });
  }
});
