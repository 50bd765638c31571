// Damaged messages and hostile clients at the port of DNS updates: the service answers as the protocol says, stays
// healthy, and limits the connections of a client.
import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { OPCODE } from '#dns/message/message.ts';
import { signRequest } from '#dns/message/tsig.ts';
import { uint16 } from '#dns/wire/octets.ts';
import { exchange, readReply, update, updateKey } from '../../../support/doors/dns-update/client.ts';
import { createNumbers, fuzzedMessage } from '../../../support/doors/dns-update/fuzz.ts';
import { change, queryMessage } from '../../../support/doors/dns-update/message.ts';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService({
  settings: { ZONESTEAD_UPDATE_LISTEN: '127.0.0.1:0', ZONESTEAD_MAX_CONNECTIONS_PER_ADDRESS: '20' },
  nameserver: false,
});
const port = service.updatePort();
const key = await updateKey(service);
const zone = await service.zone();
const closers: (() => void)[] = [];
afterAll(() => {
  for (const close of closers) close();
});

async function expectHealthy(): Promise<void> {
  const changes = [change.add(`healthy.${zone.zoneName}`, 300, 'A', '192.0.2.1')];
  expect(await update(port, key, { zone: zone.zoneName, changes })).toMatchObject({ rcode: 'NOERROR' });
}

test('2,000 damaged messages with a signature are answered, none with SERVFAIL', async () => {
  const number = createNumbers(53);
  const now = Math.floor(Date.now() / 1000);
  const seen = new Map<string, number>();
  const one = async () => {
    const message = fuzzedMessage(number, zone.zoneName);
    const header = ((message[2] as number) << 8) | (message[3] as number);
    const request = signRequest(message, key, now);
    // An answer gets no answer; the others have one of the opcodes.
    if ((header & 0x8000) !== 0) return;
    const { rcode } = readReply(await exchange(port, request), request, key);
    // Without a name server, a query that is well formed is answered SERVFAIL.
    if (((header >> 11) & 0xf) === 0) return;
    seen.set(rcode, (seen.get(rcode) ?? 0) + 1);
  };
  for (let round = 0; round < 100; round += 1) await Promise.all(Array.from({ length: 20 }, one));
  expect([...seen.keys()].sort()).toEqual(
    expect.arrayContaining(['FORMERR', 'NOERROR', 'NOTAUTH', 'NOTZONE', 'REFUSED']),
  );
  expect(seen.has('SERVFAIL')).toBe(false);
  await expectHealthy();
});

test('random octets get an answer or none', async () => {
  const socket = createSocket('udp4');
  closers.push(() => socket.close());
  for (let index = 0; index < 500; index += 1) socket.send(randomBytes(index), port, '127.0.0.1');
  await expectHealthy();
});

test.each([
  ['a query', (octets: Uint8Array) => octets.with(2, 0x80)],
  [
    'a signed update',
    (octets: Uint8Array) =>
      signRequest(octets.with(2, 0x80 | (OPCODE.UPDATE << 3)), key, Math.floor(Date.now() / 1000)),
  ],
])('%s that is marked as an answer gets none, so that two servers cannot talk without end', async (_what, message) => {
  const socket = createSocket('udp4');
  closers.push(() => socket.close());
  const ids: number[] = [];
  socket.on('message', (octets) => ids.push(octets.readUInt16BE(0)));
  const marked = message(queryMessage(zone.zoneName, 6));
  const plain = queryMessage(zone.zoneName, 6);
  for (let times = 0; times < 10; times += 1) socket.send(marked, port, '127.0.0.1');
  socket.send(plain, port, '127.0.0.1');
  const [id, other] = [plain, marked].map((octets) => Buffer.from(octets).readUInt16BE(0));
  await expect.poll(() => ids).toContain(id);
  // An answer to a message that was sent before it would be here by now, or a moment later.
  await expectHealthy();
  expect(ids).not.toContain(other);
});

test('a client over TCP may send a message in pieces, and several one after the other', async () => {
  const now = Math.floor(Date.now() / 1000);
  const number = createNumbers(1);
  const requests = Array.from({ length: 5 }, () => signRequest(fuzzedMessage(number, zone.zoneName), key, now));
  const all = Buffer.concat(requests.flatMap((request) => [uint16(request.length), request]));
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  let received = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk as Buffer]);
  });
  for (const octet of all) socket.write(Buffer.of(octet));
  socket.end();
  await once(socket, 'close');
  let answers = 0;
  for (let at = 0; at < received.length; at += 2 + received.readUInt16BE(at)) answers += 1;
  expect(answers).toBe(5);
});

test('a client over TCP beyond the connections of one address is disconnected, and one that leaves makes room', async () => {
  const open = Array.from({ length: 20 }, () => connect(port, '127.0.0.1'));
  await Promise.all(open.map((socket) => once(socket, 'connect')));
  const more = connect(port, '127.0.0.1');
  more.on('error', () => undefined);
  await once(more, 'close');
  const [first, ...others] = open;
  first?.destroy();
  await expect
    .poll(() =>
      update(port, key, { zone: zone.zoneName }, { tcp: true }).then(
        ({ rcode }) => rcode,
        () => 'none',
      ),
    )
    .toBe('NOERROR');
  for (const socket of others) socket.destroy();
});

test('a client over TCP that sends half a message, or reads no answer, holds nothing but its connection', async () => {
  const socket = connect(port, '127.0.0.1');
  closers.push(() => socket.destroy());
  socket.write(Buffer.of(0xff, 0xff, 1, 2, 3));
  await expectHealthy();
});

test('metrics count the answers', async () => {
  const text = await service.metrics();
  expect(text).toMatch(/zonestead_update_answers_total\{rcode="NOERROR",signature="none"\} [1-9]/);
  expect(text).toMatch(/zonestead_update_answers_total\{rcode="FORMERR",signature="none"\} [1-9]/);
  expect(text).toMatch(/zonestead_update_dropped_total\{reason="connections"\} [1-9]/);
  expect(text).toMatch(/zonestead_update_duration_seconds_count [1-9]/);
});
