// The load guard at the port of DNS updates: the messages that it refuses under overload, and those that are still
// served.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { META } from '#dns/message/message.ts';
import type { TsigKey } from '#dns/message/tsig.ts';
import { TYPE_NUMBERS } from '#dns/types/numbers.ts';
import { exchange, readReply, signed, update, updateKey } from '../../../support/doors/dns-update/client.ts';
import { change, queryMessage, updateMessage } from '../../../support/doors/dns-update/message.ts';
import { CALM, ONE, startLoadedService, TWO } from '../../../support/service/overload.ts';

const { service, value, level } = await startLoadedService({ ZONESTEAD_UPDATE_LISTEN: '127.0.0.1:0' });
const port = service.updatePort();
const key = await updateKey(service);
const { zoneName: zone } = await service.zone();
const OVERLOADED = 'The service is overloaded. Send the message again.';

const add = (label: string) => [change.add(`${label}.${zone}`, 300, 'A', '192.0.2.1')];
const send = async (octets: Uint8Array, by: TsigKey, tcp = false) =>
  readReply(await exchange(port, octets, { tcp }), octets, by);

describe('at level 1', () => {
  beforeAll(async () => {
    expect(await update(port, key, { zone, changes: add('before') })).toMatchObject({ rcode: 'NOERROR' });
    await level(1, ONE);
  });
  afterAll(() => level(0, CALM));

  test('at level 1 updates with a key that was used recently are made', async () => {
    for (const tcp of [true, false]) {
      expect(await update(port, key, { zone, changes: add(`tcp-${tcp}`) }, { tcp })).toMatchObject({
        rcode: 'NOERROR',
      });
    }
  });

  test('at level 1, a flood of unknown keys is answered SERVFAIL before it reaches the database, not longer than its datagrams', async () => {
    const before = await value('load_refused_total{kind="unknown"}');
    const name = () => `key-${randomBytes(6).toString('hex')}.zonestead`;
    const one = async () => {
      const forged = { ...key, name: name() };
      const request = signed(updateMessage({ zone, changes: add('forged') }), forged);
      const reply = await send(request, forged);
      if (reply.rcode === 'SERVFAIL') expect(reply.octets.length).toBeLessThanOrEqual(request.length);
      return reply;
    };
    const replies = await Promise.all(Array.from({ length: 120 }, one));
    const busy = replies.filter(({ rcode }) => rcode === 'SERVFAIL');
    // The flood uses the places of one or two seconds, or more on a slow machine.
    expect(busy.length).toBeGreaterThan(0);
    expect(new Set(busy.map(({ text }) => text))).toEqual(new Set([OVERLOADED]));
    expect(new Set(replies.map(({ rcode }) => rcode))).toEqual(new Set(['NOTAUTH', 'SERVFAIL']));
    expect(await value('load_refused_total{kind="unknown"}')).toBe(before + busy.length);
    expect(await update(port, key, { zone, changes: add('after') })).toMatchObject({ rcode: 'NOERROR' });
  });

  test('at level 1 queries without a signature are answered SERVFAIL', async () => {
    const query = queryMessage(zone, TYPE_NUMBERS.SOA);
    expect(await send(query, key, true)).toMatchObject({ rcode: 'SERVFAIL', text: OVERLOADED });
    const short = await send(query, key);
    expect([short.rcode, short.octets.length]).toEqual(['SERVFAIL', query.length]);
  });
});

describe('at level 2', () => {
  beforeAll(async () => {
    expect(await update(port, key, { zone, changes: add('two') })).toMatchObject({ rcode: 'NOERROR' });
    await level(2, TWO);
  });
  afterAll(() => level(0, CALM));

  test('at level 2, a transfer is answered SERVFAIL, and a small update is made', async () => {
    const axfr = signed(queryMessage(zone, META.AXFR), key);
    expect(await send(axfr, key, true)).toMatchObject({ rcode: 'SERVFAIL', text: OVERLOADED, isSigned: true });
    expect(await update(port, key, { zone, changes: add('small') })).toMatchObject({ rcode: 'NOERROR' });
  });

  test('at level 2, a long update is answered SERVFAIL, and the same message is accepted after the overload', async () => {
    const changes = Array.from({ length: 100 }, (_, at) =>
      change.add(`long-${at}.${zone}`, 300, 'TXT', `"${'x'.repeat(200)}"`),
    );
    const request = signed(updateMessage({ zone, changes }), key);
    const refused = await send(request, key, true);
    expect(refused).toMatchObject({ rcode: 'SERVFAIL', text: OVERLOADED, isSigned: true });
    await level(0, CALM);
    expect(await send(request, key, true)).toMatchObject({ rcode: 'NOERROR', isSigned: true });
  });
});
