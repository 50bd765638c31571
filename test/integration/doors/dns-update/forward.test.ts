// Queries at the port of updates while name servers are down, silent or behind, and while a client floods the port with
// queries from forged addresses.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { TYPE_NUMBERS } from '#dns/types/numbers.ts';
import { createForward } from '#doors/dns-update/forward.ts';
import { startNameServer } from '../../../support/dns/fake-nameserver.ts';
import {
  exchange,
  type Reply,
  readReply,
  signed,
  update,
  updateKey,
} from '../../../support/doors/dns-update/client.ts';
import { change, queryMessage } from '../../../support/doors/dns-update/message.ts';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService({ settings: { ZONESTEAD_UPDATE_LISTEN: '127.0.0.1:0' } });
const { signal } = new AbortController();
const key = await updateKey(service);
const { zoneName: zone, ...zoneView } = await service.zone();

/** Answers no query for a name that begins with `held`. */
const server = await startNameServer(({ packet }) => (packet.questions[0]?.name.startsWith('held') ? undefined : {}));
const silent = await startNameServer(() => undefined);
const closed = await startNameServer(() => ({}));
await closed.close();
const hungUp: number[] = [];
const hangingUp = createServer((socket) => {
  hungUp.push(socket.remotePort ?? 0);
  socket.destroy();
}).listen(0, '127.0.0.1');
await once(hangingUp, 'listening');
afterAll(async () => {
  hangingUp.close();
  await Promise.all([server.close(), silent.close()]);
});

async function portWith(...servers: { address: string; port: number }[]): Promise<number> {
  const list = servers.map(({ address, port }) => `${address}:${port}`).join(',');
  const { url } = await service.anotherApi({ settings: { ZONESTEAD_UPDATE_NAMESERVERS: list } });
  return service.updatePort(url);
}

const NO_ANSWER = 'No name server of the service answers. Send the query again.';

/** A query for the SOA record, again while a busy machine does not answer within the time for a name server. */
async function ask(port: number, options: { tcp?: boolean; isSigned?: boolean } = {}): Promise<Reply> {
  const query = queryMessage(zone, TYPE_NUMBERS.SOA);
  const request = options.isSigned ? signed(query, key) : query;
  const reply = readReply(await exchange(port, request, options), request, key);
  return reply.text === NO_ANSWER ? ask(port, options) : reply;
}

test('the name servers are asked in turn, beginning with the one that answered last', async () => {
  const hosts = [closed.port, (hangingUp.address() as AddressInfo).port, server.port];
  const servers = hosts.map((port) => ({ host: '127.0.0.1', port }));
  const forward = createForward({ servers, timeoutMs: 60_000 });
  const query = queryMessage(zone, TYPE_NUMBERS.SOA);
  for (let times = 0; times < 3; times += 1) {
    expect((await forward(query, 'tcp', signal))?.slice(0, 2)).toEqual(query.slice(0, 2));
    expect(hungUp).toHaveLength(1);
  }
  await expect(createForward({ servers: servers.slice(0, 2) })(query, 'tcp', signal)).rejects.toThrow('no name server');
});

test('the name servers that answer another query are passed over, and their answer goes to no client', async () => {
  const query = queryMessage(zone, TYPE_NUMBERS.SOA);
  /** Answers with the octets of the query, changed at one place. */
  const answering = async (at: number, octet: (octet: number) => number) => {
    const wrong = createServer((socket) => {
      socket.on('data', (chunk) => {
        const answer = Buffer.from(chunk as Buffer);
        answer[4] = (answer[4] ?? 0) | 0x80;
        answer[at] = octet(answer[at] ?? 0);
        socket.end(answer);
      });
      socket.on('error', () => undefined);
    }).listen(0, '127.0.0.1');
    await once(wrong, 'listening');
    return { close: () => wrong.close(), host: '127.0.0.1', port: (wrong.address() as AddressInfo).port };
  };
  const flip = (octet: number) => octet ^ 1;
  // The length has two octets; the id follows, and then the flags.
  const wrongs = await Promise.all([answering(2, flip), answering(3, flip), answering(4, (octet) => octet & 0x7f)]);
  for (const wrong of wrongs) {
    await expect(createForward({ servers: [wrong] })(query, 'tcp', signal)).rejects.toThrow('no name server');
    const forward = createForward({ servers: [wrong, { host: '127.0.0.1', port: server.port }], timeoutMs: 60_000 });
    expect((await forward(query, 'tcp', signal))?.slice(0, 2)).toEqual(query.slice(0, 2));
    wrong.close();
  }
});

test('the name servers that are silent are passed over', async () => {
  const port = await portWith(silent, server);
  expect(await ask(port, { tcp: true })).toMatchObject({ rcode: 'NOERROR', text: null });
  expect(silent.queries.length).toBeGreaterThan(0);
});

test('the name servers that are all down make the answer SERVFAIL, over UDP not longer than the query', async () => {
  const port = await portWith(closed);
  const query = queryMessage(zone, TYPE_NUMBERS.SOA);
  const [long, short] = [await exchange(port, query, { tcp: true }), await exchange(port, query)];
  expect(readReply(long, query, key)).toMatchObject({ rcode: 'SERVFAIL', text: NO_ANSWER });
  expect([readReply(short, query, key).rcode, short.length]).toEqual(['SERVFAIL', query.length]);
});

test('a flood of unsigned queries over UDP takes no place of TCP, of signed queries and of updates', async () => {
  const port = await portWith(server);
  const flood = createSocket('udp4');
  let truncated = 0;
  flood.on('message', (octets) => {
    if (((octets[2] as number) & 2) !== 0) truncated += 1;
  });
  const datagram = queryMessage('held.example', TYPE_NUMBERS.SOA);
  const timer = setInterval(() => {
    for (let count = 0; count < 40; count += 1) flood.send(datagram, port, '127.0.0.1');
  }, 20);
  try {
    // All places of such queries are taken, so a client is told to come again over TCP.
    await expect.poll(() => truncated, { timeout: 60_000 }).toBeGreaterThan(200);
    for (const isSigned of [false, true]) {
      expect(await ask(port, { tcp: true, isSigned })).toMatchObject({ rcode: 'NOERROR', isSigned });
    }
    const changes = [change.add(`www.${zone}`, 300, 'A', '192.0.2.1')];
    expect(await update(port, key, { zone, changes }, { tcp: true })).toMatchObject({ rcode: 'NOERROR' });
    // A datagram that is lost in the buffer of the socket is sent again.
    expect(await ask(port, { isSigned: true })).toMatchObject({ rcode: 'NOERROR', isSigned: true });
  } finally {
    clearInterval(timer);
    flood.close();
  }
});

test('an unsigned query over TCP waits for name servers that are behind, if its address sent an update a moment ago', async () => {
  const port = await portWith(server);
  await service.settled();
  process.kill(service.knot.part.pid, 'SIGSTOP');
  try {
    const changes = [change.add(`unsigned.${zone}`, 300, 'A', '192.0.2.1')];
    expect((await update(port, key, { zone, changes })).rcode).toBe('NOERROR');
    const started = performance.now();
    await ask(port, { tcp: true });
    expect(performance.now() - started).toBeGreaterThan(1_400);
  } finally {
    process.kill(service.knot.part.pid, 'SIGCONT');
  }
});

test('a signed query waits for name servers that are behind', async () => {
  const port = await portWith(server);
  await service.settled();
  process.kill(service.knot.part.pid, 'SIGSTOP');
  try {
    await service.record(zoneView, 'later', 'A', '192.0.2.1');
    const started = performance.now();
    await ask(port, { isSigned: true, tcp: true });
    expect(performance.now() - started).toBeGreaterThan(1_400);
  } finally {
    process.kill(service.knot.part.pid, 'SIGCONT');
  }
});
