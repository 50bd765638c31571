// The webhook provider over HTTP, as external-dns speaks it, against the real service.
import { beforeAll, describe, expect, test } from 'vitest';
import { MEDIA_TYPE } from '#external-dns/protocol.ts';
import { a, endpoint, startWebhook, type TestWebhook } from '../../support/external-dns/webhook.ts';
import { startTestService } from '../../support/service/service.ts';

const service = await startTestService();
const limited = await startTestService({ limits: true });
/** The provider adds this to an endpoint without a TTL. */
const DEFAULT = { recordTTL: 3600, providerSpecific: [{ name: 'zonestead/ttl', value: 'default' }] };
const LABELS = { owner: 'prod', resource: 'service/default/web' };

describe('the provider', () => {
  let webhook: TestWebhook;
  beforeAll(async () => {
    await service.zone('one.example');
    await service.zone('two.example');
    webhook = await startWebhook(service, { key: service.admin.text });
  });

  test('the provider negotiates its version, and filters by the zones that the key sees', async () => {
    expect(await webhook.send('/')).toMatchObject({
      status: 200,
      type: MEDIA_TYPE,
      json: { include: ['one.example', 'two.example'] },
    });
    const other = { accept: 'application/external.dns.webhook+json;version=2' };
    expect((await webhook.send('/', undefined, other)).status).toBe(406);
    expect((await webhook.send('/records', {}, { 'content-type': 'application/json' })).status).toBe(415);
    expect((await webhook.send('/records', '{')).status).toBe(400);
    expect((await webhook.send('/healthz', undefined, { accept: 'text/plain' })).status).toBe(200);
  });

  test('the provider creates, shows, updates and deletes', async () => {
    const before = a('www.one.example', '192.0.2.1', '192.0.2.2');
    const mail = endpoint('MX', 'two.example', ['10 mx.two.example'], { recordTTL: 300 });
    expect(await webhook.change({ create: [before, mail] })).toBe(204);
    expect((await service.dns.lookup('www.one.example', 'A')).answers).toHaveLength(2);
    expect(await webhook.records()).toEqual([
      { ...mail, labels: LABELS },
      { ...before, ...DEFAULT, labels: LABELS },
    ]);
    // Sent twice, as after an answer that got lost.
    expect(await webhook.change({ create: [before] })).toBe(204);
    const after = { ...a('www.one.example', '192.0.2.2', '192.0.2.3'), recordTTL: 60 };
    expect(await webhook.change({ updateOld: [before], updateNew: [after] })).toBe(204);
    expect(await webhook.records()).toContainEqual({ ...after, labels: LABELS });
    // An endpoint that loses its TTL gets the default of the zone.
    expect(await webhook.change({ updateOld: [after], updateNew: [before] })).toBe(204);
    expect((await service.dns.lookup('www.one.example', 'A')).answers).toEqual([
      'www.one.example 3600 A 192.0.2.1',
      'www.one.example 3600 A 192.0.2.2',
    ]);
    expect(await webhook.change({ delete: [before, mail] })).toBe(204);
    expect(await webhook.records()).toEqual([]);
  });

  test('the provider adjusts without changing anything', async () => {
    const { json } = await webhook.send('/adjustendpoints', [
      { dnsName: 'one.example', recordType: 'CNAME', targets: ['lb.example.net.'], labels: { owner: 'x' } },
      a('elsewhere.example', '192.0.2.1'),
    ]);
    expect(json).toEqual([
      {
        dnsName: 'one.example',
        recordType: 'CNAME',
        targets: ['lb.example.net'],
        labels: { owner: 'x' },
        providerSpecific: [{ name: 'alias', value: 'true' }, ...DEFAULT.providerSpecific],
      },
    ]);
    expect(webhook.lines.join('')).toContain('ignored: elsewhere.example A: no zone of the key contains it');
  });

  test('the provider applies the accepted sets, and reports the refused ones without ending external-dns', async () => {
    const wrong = a('bad.one.example', '192.0.2.1', 'no address');
    const right = a('good.one.example', '192.0.2.1');
    expect(await webhook.change({ create: [wrong, right] })).toBe(500);
    expect((await webhook.records()).map(({ dnsName }) => dnsName)).toEqual(['good.one.example']);
    const refused = webhook.lines.map((line) => JSON.parse(line)).filter(({ code }) => code !== undefined);
    expect(refused).toMatchObject([
      {
        ...{ zone: 'one.example', owner: 'external-dns:prod/service/default/web', name: 'bad', type: 'A' },
        ...{ code: 'bad_request', field: 'values.1.content', msg: expect.stringContaining('is not an IPv4 address') },
      },
    ]);
  });

  test('the provider answers 503 when the key is not valid: external-dns would end itself on a 401', async () => {
    const { send } = await startWebhook(service, { key: 'yk_0_0' });
    expect((await send('/')).status).toBe(503);
  });
});

test('the provider answers 503 with Retry-After while the window of the key is full, and continues afterwards', async () => {
  const key = await limited.key({ recordWrites: 8 });
  await limited.zone('slow.example');
  const { send, records } = await startWebhook(limited, { key: key.text, limitMs: 5_000 });
  // A request counts at most as half of the window.
  const numbers = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => a(`h${from + index}.slow.example`, '192.0.2.1'));
  const create = numbers(0, 16);
  const first = await startWebhook(limited, { key: key.text });
  for (const from of [0, 4]) expect(await first.change({ create: numbers(from, 4) })).toBe(204);
  const round = async () => {
    const { status, headers } = await send('/records', { create });
    return { status, waits: Number(headers.get('retry-after')) > 0, records: (await records()).length };
  };
  // Each round ends with its limit, which a busy machine may need for the first request already.
  await expect.poll(round, { timeout: 50_000 }).toEqual({ status: 503, waits: true, records: 8 });
  // The window has passed.
  await limited.sql`update write_windows set times = array(select t - interval '1 minute' from unnest(times) t)`;
  const later = await startWebhook(limited, { key: key.text });
  // Sets that are as they should be need no place in the window.
  expect(await later.change({ create })).toBe(204);
  expect(await later.records()).toHaveLength(16);
}, 300_000);
