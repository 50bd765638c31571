// The webhook provider over HTTP, as external-dns speaks it, against the real service.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { realClock } from '#base/clock.ts';
import { createClient } from '#client/client.ts';
import { createDispatcher } from '#client/pace/dispatcher.ts';
import { buildWebhook } from '#external-dns/app.ts';
import { MEDIA_TYPE } from '#external-dns/protocol.ts';
import { createProvider } from '#external-dns/provider.ts';
import { createLogger } from '#telemetry/log.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const service = await startTestService();
const limited = await startTestService({ limits: true });
const closers: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

async function startWebhook(of: TestService, key: string, limitMs = 9_000) {
  const client = createClient({ baseUrl: of.url, key });
  const pace = createDispatcher({ clock: realClock, random: () => 0 });
  const lines: string[] = [];
  const log = createLogger({ name: 'external-dns', destination: { write: (line) => void lines.push(line) } });
  const provider = createProvider({ client, pace, log });
  const app = buildWebhook({ provider, pace, clock: realClock, log, limitMs });
  closers.push(() => client.close());
  closers.push(() => app.close());
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const send = async (path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { accept: MEDIA_TYPE, ...(body === undefined ? {} : { 'content-type': MEDIA_TYPE }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    const type = answer.headers.get('content-type');
    return {
      status: answer.status,
      headers: answer.headers,
      type,
      json: type === MEDIA_TYPE ? JSON.parse(text) : null,
    };
  };
  return { send, lines };
}

const a = (dnsName: string, ...targets: string[]) => ({ dnsName, recordType: 'A', targets });

describe('the provider', () => {
  let webhook: Awaited<ReturnType<typeof startWebhook>>;
  beforeAll(async () => {
    await service.zone('one.example');
    await service.zone('two.example');
    webhook = await startWebhook(service, service.admin.text);
  });

  test('negotiates its version, and filters by the zones that the key sees', async () => {
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

  test('creates, shows, updates and deletes', async () => {
    const before = a('www.one.example', '192.0.2.1', '192.0.2.2');
    const mail = { dnsName: 'two.example', recordType: 'MX', targets: ['10 mx.two.example'], recordTTL: 300 };
    expect((await webhook.send('/records', { create: [before, mail] })).status).toBe(204);
    expect((await service.dns.lookup('www.one.example', 'A')).answers).toHaveLength(2);
    const listed = (await webhook.send('/records')).json;
    expect(listed).toContainEqual({ ...before, recordTTL: 3600 });
    expect(listed).toContainEqual(mail);
    // Sent twice, as after an answer that got lost.
    expect((await webhook.send('/records', { create: [before] })).status).toBe(204);
    const after = a('www.one.example', '192.0.2.2', '192.0.2.3');
    expect((await webhook.send('/records', { updateOld: [before], updateNew: [after] })).status).toBe(204);
    expect((await webhook.send('/records')).json).toContainEqual({ ...after, recordTTL: 3600 });
    expect((await webhook.send('/records', { delete: [after, mail] })).status).toBe(204);
    expect((await webhook.send('/records')).json).toEqual([]);
  });

  test('adjusts without changing anything', async () => {
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
        providerSpecific: [{ name: 'alias', value: 'true' }],
      },
    ]);
    expect(webhook.lines.join('')).toContain('ignored: elsewhere.example A: no zone of the key contains it');
  });

  test('makes the accepted changes, and reports the refused ones without ending external-dns', async () => {
    const wrong = a('bad.one.example', 'no address');
    const right = a('good.one.example', '192.0.2.1');
    expect((await webhook.send('/records', { create: [wrong, right] })).status).toBe(500);
    expect((await webhook.send('/records')).json).toContainEqual({ ...right, recordTTL: 3600 });
    expect(webhook.lines.join('')).toContain('is not an IPv4 address');
  });

  test('answers 503 when the key is not valid: external-dns would end itself on a 401', async () => {
    const { send } = await startWebhook(service, 'yk_0_0');
    expect((await send('/')).status).toBe(503);
  });
});

test('cuts batches to the window of the key, and answers 503 with Retry-After while it has to wait', async () => {
  const key = await limited.key({ recordWrites: 10 });
  await limited.zone('slow.example');
  const { send } = await startWebhook(limited, key.text, 1_000);
  const create = Array.from({ length: 16 }, (_, index) => a(`h${index}.slow.example`, '192.0.2.1'));
  const first = await send('/records', { create });
  expect(first.status).toBe(503);
  expect(Number(first.headers.get('retry-after'))).toBeGreaterThan(30);
  expect((await send('/records')).json).toHaveLength(8);
  // The window has passed.
  await limited.sql`update write_windows set times = array(select t - interval '1 minute' from unnest(times) t)`;
  const { send: later } = await startWebhook(limited, key.text, 5_000);
  expect((await later('/records', { create: create.slice(0, 10) })).status).toBe(204);
  expect((await later('/records')).json).toHaveLength(10);
});
