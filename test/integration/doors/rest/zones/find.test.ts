// Contract Z3 and Z4, GET /zones with a filter: zoneName, its alias name, and suffix_of.
import { expect, test } from 'vitest';
import { refusal } from '../../../../support/http/requests.ts';
import { startTestService } from '../../../../support/service/service.ts';

const service = await startTestService();
const { request } = service;
const example = await service.zone('find.example');
const deep = await service.zone('deep.sub.find.example');
const single = await service.zone('single');

const list = async (query: string) => {
  const { status, body } = await request('GET', `/zones?${query}`);
  return [status, (body.zones as { zoneName: string }[] | undefined)?.map(({ zoneName }) => zoneName)];
};
const suffix = async (name: string) => {
  const reply = await request('GET', `/zones?suffix_of=${encodeURIComponent(name)}`);
  return reply.status === 200 ? reply.body.id : refusal(reply);
};

test.each(['zoneName', 'name'])(
  '%s matches exactly, answers a list, and is safe for single-label names',
  async (filter) => {
    expect(await list(`${filter}=find.example`)).toEqual([200, ['find.example']]);
    expect(await list(`${filter}=FIND.Example.`)).toEqual([200, ['find.example']]);
    expect(await list(`${filter}=single`)).toEqual([200, ['single']]);
    expect(await list(`${filter}=www.find.example`)).toEqual([200, []]);
    expect(await list(`${filter}=sub.find.example`)).toEqual([200, []]);
    expect(await list(`${filter}=example`)).toEqual([200, []]);
    expect(await list(`${filter}=no%20name`)).toEqual([200, []]);
  },
);

test('zoneName and name together must agree', async () => {
  expect(await list('zoneName=single&name=single')).toEqual([200, ['single']]);
  expect(refusal(await request('GET', '/zones?zoneName=single&name=find.example'))).toBe('400 bad_request');
});

test('suffix_of answers the single longest enclosing zone, not wrapped in a list', async () => {
  const { body } = await request('GET', '/zones?suffix_of=www.find.example');
  // Only GET by id answers the status: a search for a zone must never wait for an answer of the parent.
  const { status: _, ...found } = (await request('GET', `/zones/${example.id}`)).body;
  expect(body).toEqual(found);
  expect(await suffix('find.example')).toBe(example.id);
  expect(await suffix('a.b.c.find.example')).toBe(example.id);
  expect(await suffix('sub.find.example')).toBe(example.id);
  expect(await suffix('www.deep.sub.find.example')).toBe(deep.id);
  // A suffix of characters is not a suffix of labels.
  expect(await suffix('notfind.example')).toBe('404 not_found');
});

test.each([
  ['a final dot', 'www.find.example.'],
  ['capitals', 'WWW.Find.EXAMPLE'],
  ['a wildcard, as certificates have it', '*.find.example'],
  ['the challenge name', '_acme-challenge.www.find.example'],
  ['a wildcard with final dot and capitals', '*.WWW.find.example.'],
])('suffix_of takes %s', async (_, name) => {
  expect(await suffix(name)).toBe(example.id);
});

test('suffix_of needs two labels and never matches a single-label zone', async () => {
  expect(await suffix('single')).toBe('400 bad_request');
  expect(await suffix('*.single')).toBe('400 bad_request');
  expect(await suffix('www.single')).toBe('404 not_found');
  expect(single.zoneName).toBe('single');
});

test('suffix_of with no enclosing zone is 404 not_found', async () => {
  expect(await suffix('www.elsewhere.example')).toBe('404 not_found');
  expect(await suffix('example')).toBe('400 bad_request');
});

test.each(['a..b', 'www. find.example', 'x.*.find.example', '.', '"quote".find.example'])(
  'suffix_of=%s is 400',
  async (name) => {
    expect(await suffix(name)).toBe('400 bad_request');
  },
);

test('suffix_of finds only zones that the key may see', async () => {
  const { text } = await service.key({ records: 'none', manageZones: 'none', grants: { [example.id]: 'write' } });
  const ask = (name: string) => request('GET', `/zones?suffix_of=${name}`, undefined, text);
  expect((await ask('www.find.example')).body.id).toBe(example.id);
  // This key may not see the longest zone, so the answer is the next one that it may see.
  expect((await ask('www.deep.sub.find.example')).body.id).toBe(example.id);
  const other = await service.key({ team: 'second' });
  expect(refusal(await request('GET', '/zones?suffix_of=www.find.example', undefined, other.text))).toBe(
    '404 not_found',
  );
});
