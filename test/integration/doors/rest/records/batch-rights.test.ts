// A key that is restricted to some names, types or zones has the same permissions in a batch as in single requests.
import { describe, expect, test } from 'vitest';
import { refusal } from '../../../../support/http/requests.ts';
import { startTestService } from '../../../../support/service/service.ts';

const service = await startTestService();
const { request } = service;
const zone = await service.zone('batch-rights.example');
const names = await service.key({ manageZones: 'none', onlyNames: ['_acme-challenge', '_acme-challenge.*'] });
const types = await service.key({ manageZones: 'none', onlyTypes: ['TXT'] });
const reader = await service.key({ manageZones: 'none', records: 'write', grants: { [zone.id]: 'read' } });
const granted = await service.key({ manageZones: 'none', records: 'none', grants: { [zone.id]: 'write' } });

let counter = 0;
/** A record that neither restricted key may change, and one that both may. */
async function twoRecords() {
  counter += 1;
  const foreign = await service.record(zone, `www${counter}`, 'A', '192.0.2.1');
  const own = await service.record(zone, `_acme-challenge.n${counter}`, 'TXT', 'token');
  return { foreign, own };
}
const update = ({ id, name, type }: { id: string; name: string; type: string }, content: string) => ({
  action: 'update',
  id,
  record: { name, type, content, ttl: 60 },
});
const send = (key: { text: string }, changes: object[], atomic: boolean) =>
  request('POST', `/zones/${zone.id}/records:batch`, { changes, atomic }, key.text);
const contentOf = async (id: string) => {
  const { records } = (await request('GET', `/zones/${zone.id}/records`)).body as {
    records: { id: string; content: string }[];
  };
  return records.find((record) => record.id === id)?.content;
};
const statuses = (reply: { body: Record<string, unknown> }) =>
  (reply.body.results as { status: number; error?: string }[]).map(({ status, error }) => error ?? status);

describe.each([
  ['some names', names],
  ['some types', types],
] as const)('a key that is held to %s', (title, key) => {
  test(`a key that is held to ${title} deletes no other record in an atomic batch, and nothing of the batch is done`, async () => {
    const { foreign, own } = await twoRecords();
    const reply = await send(
      key,
      [
        { action: 'delete', id: own.id },
        { action: 'delete', id: foreign.id },
      ],
      true,
    );
    expect(refusal(reply)).toBe('403 forbidden');
    expect(reply.body.message).toMatch(/^changes\.1: This key may only write records/);
    expect([await contentOf(foreign.id), await contentOf(own.id)]).toEqual(['192.0.2.1', 'token']);
  });

  test(`a key that is held to ${title} deletes its own record and no other one in a batch of single changes`, async () => {
    const { foreign, own } = await twoRecords();
    const reply = await send(
      key,
      [
        { action: 'delete', id: foreign.id },
        { action: 'delete', id: own.id },
      ],
      false,
    );
    expect(statuses(reply)).toEqual(['forbidden', 204]);
    expect([await contentOf(foreign.id), await contentOf(own.id)]).toEqual(['192.0.2.1', undefined]);
  });

  test(`a key that is held to ${title} updates no other record in an atomic batch, and nothing of the batch is done`, async () => {
    const { foreign, own } = await twoRecords();
    const reply = await send(key, [update(own, 'second'), update(foreign, '192.0.2.66')], true);
    expect(refusal(reply)).toBe('403 forbidden');
    expect([await contentOf(foreign.id), await contentOf(own.id)]).toEqual(['192.0.2.1', 'token']);
  });

  test(`a key that is held to ${title} updates its own record and no other one in a batch of single changes`, async () => {
    const { foreign, own } = await twoRecords();
    const reply = await send(key, [update(foreign, '192.0.2.66'), update(own, 'second')], false);
    expect(statuses(reply)).toEqual(['forbidden', 200]);
    expect([await contentOf(foreign.id), await contentOf(own.id)]).toEqual(['192.0.2.1', 'second']);
  });

  test(`a key that is held to ${title} cannot reach another record by naming it as one of its own`, async () => {
    const { foreign, own } = await twoRecords();
    for (const atomic of [true, false]) {
      const reply = await send(key, [update({ ...own, id: foreign.id }, 'taken')], atomic);
      expect(atomic ? refusal(reply) : statuses(reply)[0]).toBe(atomic ? '403 forbidden' : 'forbidden');
    }
    expect(await contentOf(foreign.id)).toBe('192.0.2.1');
  });

  test(`a key that is held to ${title} creates no other record`, async () => {
    const create = { action: 'create', record: { name: `more${counter}`, type: 'A', content: '192.0.2.9' } };
    expect(refusal(await send(key, [create], true))).toBe('403 forbidden');
    expect(statuses(await send(key, [create], false))).toEqual(['forbidden']);
  });
});

test.each([true, false])('a grant for one zone at level read wins over records: write (atomic: %s)', async (atomic) => {
  const { foreign, own } = await twoRecords();
  for (const change of [{ action: 'delete', id: own.id }, update(foreign, '192.0.2.66')]) {
    const reply = await send(reader, [change], atomic);
    expect(atomic ? refusal(reply) : statuses(reply)[0]).toBe(atomic ? '403 forbidden' : 'forbidden');
  }
  expect([await contentOf(foreign.id), await contentOf(own.id)]).toEqual(['192.0.2.1', 'token']);
});

test.each([true, false])('a grant for one zone at level write wins over records: none (atomic: %s)', async (atomic) => {
  const { foreign, own } = await twoRecords();
  const reply = await send(granted, [update(foreign, '192.0.2.66'), { action: 'delete', id: own.id }], atomic);
  expect(statuses(reply)).toEqual([200, 204]);
});

const malformed = { name: 'www', type: 'A', content: 'no address' };
/** The codes of one change: alone, in an atomic batch, and in one that is not. */
async function codesOf(key: string | undefined, change: { action: string; id?: string; record?: object }) {
  const records = `/zones/${zone.id}/records`;
  const alone =
    change.action === 'create'
      ? await request('POST', records, change.record, key)
      : await request(change.action === 'update' ? 'PUT' : 'DELETE', `${records}/${change.id}`, change.record, key);
  const atomic = await request('POST', `${records}:batch`, { changes: [change], atomic: true }, key);
  const single = await request('POST', `${records}:batch`, { changes: [change], atomic: false }, key);
  return [refusal(alone), refusal(atomic), statuses(single)[0]];
}

test('rights come before existence and form, for a change alone and in a batch', async () => {
  const { foreign } = await twoRecords();
  const forbidden = ['403 forbidden', '403 forbidden', 'forbidden'];
  for (const id of [foreign.id, 'rec_none']) {
    expect(await codesOf(reader.text, { action: 'update', id, record: malformed })).toEqual(forbidden);
    expect(await codesOf(reader.text, { action: 'delete', id })).toEqual(forbidden);
  }
  expect(await codesOf(reader.text, { action: 'create', record: malformed })).toEqual(forbidden);
});

test('existence comes before form, for a change alone and in a batch', async () => {
  const missing = ['404 not_found', '404 not_found', 'not_found'];
  expect(await codesOf(undefined, { action: 'update', id: 'rec_none', record: malformed })).toEqual(missing);
});

test('form comes before the rules about other records, for a change alone and in a batch', async () => {
  const { foreign } = await twoRecords();
  const wrong = ['400 bad_request', '400 bad_request', 'bad_request'];
  expect(await codesOf(undefined, { action: 'update', id: foreign.id, record: malformed })).toEqual(wrong);
});
