// A batch loads the existing records that its changes are checked against. The size of these records is bounded for
// every batch.
import { describe, expect, test } from 'vitest';
import { startTestService } from '../../../../support/service/service.ts';

const service = await startTestService();
const { request } = service;
const many = await service.key({ recordWrites: 1_000_000 });
const NAMES = 130;
const zone = await service.zone(undefined, many);
/** Contents of 60,000 octets each, which is 15 MB with their values. */
const file = Array.from({ length: NAMES }, (_, i) => `t${i} TXT "${`${i % 10}`.repeat(60_000)}"\n`).join('');
const imported = await request('PUT', `/zones/${zone.id}/zonefile`, file, many.text, {
  'content-type': 'text/dns',
});

const batch = (changes: object[]) => request('POST', `/zones/${zone.id}/records:batch`, { changes }, many.text);
const records = async () => {
  const { body } = await request('GET', `/zones/${zone.id}/records`, undefined, many.text);
  return (body as { records: { id: string; name: string }[] }).records;
};

describe('a batch in a zone with large records', async () => {
  test('a batch in a zone with large records needs a zone that was imported', () => {
    expect([imported.status, imported.body]).toEqual([200, expect.objectContaining({ created: expect.any(Number) })]);
  });

  const TOO_LARGE = {
    error: 'bad_request',
    field: 'changes',
    message:
      'changes: The existing records that these changes must be checked against are larger than 8 MiB in total; send fewer changes at once.',
  };

  test('a batch in a zone with large records is refused as a whole when it deletes more than 8 MiB of them', async () => {
    const before = await records();
    const reply = await batch(before.slice(0, 100).map(({ id }) => ({ action: 'delete', id })));
    expect([reply.status, reply.body]).toEqual([400, TOO_LARGE]);
    expect(await records()).toHaveLength(before.length);
  });

  test('a batch in a zone with large records is refused if it creates records next to more than 8 MiB of others, or points to them', async () => {
    const names = (await records()).slice(0, 100).map(({ name }) => name);
    const beside = names.map((name) => ({ action: 'create', record: { name, type: 'A', content: '192.0.2.1' } }));
    const pointing = names.map((name, i) => ({
      action: 'create',
      record: { name: `c${i}`, type: 'CNAME', content: `${name}.${zone.zoneName}` },
    }));
    expect([(await batch(beside)).status, (await batch(pointing)).status]).toEqual([400, 400]);
  });

  test('a batch in a zone with large records succeeds in smaller parts', async () => {
    const some = (await records()).slice(0, 50);
    const reply = await batch(some.map(({ id }) => ({ action: 'delete', id })));
    expect(reply.status).toBe(200);
  });
});
