// The api with TLS: the same answers and limits as without, and clients that attack the handshake.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { afterAll, expect, test } from 'vitest';
import { allocatePorts } from '../../../deploy/local/parts/ports.ts';
import { holdOpen, sendBare } from '../../support/http/bare.ts';
import { localCertificate, servingFiles } from '../../support/http/serving-files.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';
import { startApiProcess } from '../../support/service/api-process.ts';
import { startTestService } from '../../support/service/service.ts';

const LIMIT_MS = 60_000;
const HANDSHAKE_MS = 6_000;
const own = await localCertificate();
const files = await servingFiles(join(await temporaryFolder('tls'), 'tls'), own);
const service = await startTestService({
  nameserver: false,
  requestMs: HANDSHAKE_MS,
  settings: files.settings,
});
const { tls: port } = await allocatePorts([{ name: 'tls' }], { stateDir: await temporaryFolder('tls-port') });
const ending = await startApiProcess(service, { ...files.settings, ZONESTEAD_TLS_LISTEN: `127.0.0.1:${port}` });
const { admin } = service;
const url = service.tlsUrl();
const sockets: Socket[] = [];
afterAll(() => {
  for (const socket of sockets) socket.destroy();
});

function dial(to = url, options: { maxVersion?: 'TLSv1.2'; socket?: Socket } = {}): TLSSocket {
  const { hostname, port } = new URL(to);
  const socket = connectTls({ host: hostname, port: Number(port), ca: own.authorities, ...options });
  sockets.push(socket.on('error', () => undefined));
  return socket;
}

const get = (more = '') =>
  `GET /v1/dns/zones HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${admin.text}\r\n${more}\r\n`;

async function answered(socket: TLSSocket, bytes: string): Promise<string> {
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  socket.write(bytes);
  await once(socket, 'close');
  return text;
}

test('the REST API answers over TLS 1.3, and refuses older versions', async () => {
  const socket = dial();
  await once(socket, 'secureConnect');
  expect(socket.getProtocol()).toBe('TLSv1.3');
  expect(await answered(socket, get('Connection: close\r\n'))).toMatch(/^HTTP\/1.1 200 /);
  const old = dial(url, { maxVersion: 'TLSv1.2' });
  expect((await once(old, 'error').catch((error) => [error]))[0]).toMatchObject({
    code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
  });
});

test('a request without TLS gets an answer that says what is wrong', async () => {
  expect(await sendBare(url.replace('https', 'http'), get())).toMatchObject({
    status: 400,
    body: { error: 'bad_request', message: expect.stringContaining('https://') },
    closed: true,
  });
});

test.concurrent('requests over TLS have the time limits of the others', { timeout: LIMIT_MS * 2 }, async ({
  expect,
}) => {
  const idle = dial();
  idle.write(get());
  await once(idle, 'data');
  expect(await answered(dial(), get('').slice(0, 60))).toMatch(/^HTTP\/1.1 408 /);
  idle.write(get());
  await once(idle, 'data');
  expect(idle.closed).toBe(false);
});

test.concurrent('half-open handshakes delay no other client, and end in time', { timeout: 300_000 }, async ({
  expect,
}) => {
  const hello = await clientHello();
  const kinds = [Buffer.alloc(0), hello.subarray(0, 1), hello.subarray(0, 60), hello];
  const plain = url.replace('https', 'http');
  const held = await Promise.all(Array.from({ length: 1_000 }, (_, at) => holdOpen(plain, kinds[at % 4] ?? '')));
  for (const socket of held) sockets.push(socket.resume());
  expect(await answered(dial(), get('Connection: close\r\n'))).toMatch(/^HTTP\/1.1 200 /);
  await expect.poll(() => held.filter(({ closed }) => !closed).length, { timeout: 60_000 }).toBe(0);
});

test('octets that are not a handshake end the connection at once', async () => {
  const socket = await holdOpen(url.replace('https', 'http'), '\x16\x03\x01\x00\x04junk');
  sockets.push(socket.resume());
  await once(socket, 'close');
});

test('connections with and without TLS share the limits, also before the handshake', async () => {
  const limited = await service.anotherApi({ settings: { ZONESTEAD_MAX_CONNECTIONS_PER_ADDRESS: '3' } });
  const tls = service.tlsUrl(limited.url).replace('https', 'http');
  const held = [await holdOpen(limited.url, ''), await holdOpen(tls, ''), await holdOpen(tls, '\x16')];
  for (const socket of held) sockets.push(socket.resume());
  const refused = connect({ host: '127.0.0.1', port: Number(new URL(tls).port) });
  await once(
    refused.resume().on('error', () => undefined),
    'close',
  );
  held[0]?.destroy();
  await expect
    .poll(async () => {
      const socket = connect({ host: '127.0.0.1', port: Number(new URL(tls).port) });
      sockets.push(socket.resume().on('error', () => undefined));
      return Promise.race([
        once(socket, 'close').then(() => 'closed'),
        new Promise((resolve) => setTimeout(() => resolve('open'), 200)),
      ]);
    })
    .toBe('open');
});

test('the PROXY protocol comes before the handshake, and names the client', async () => {
  const balanced = await service.anotherApi({
    settings: { ZONESTEAD_TRUSTED_PROXIES: '127.0.0.1', ZONESTEAD_PROXY_PROTOCOL: 'on' },
  });
  const key = await service.key({ networks: ['203.0.113.7/32'] });
  const status = async (client: string) => {
    const raw = connect({ host: '127.0.0.1', port: Number(new URL(service.tlsUrl(balanced.url)).port) });
    raw.write(`PROXY TCP4 ${client} 127.0.0.1 4711 443\r\n`);
    const text = await answered(dial(url, { socket: raw }), get('Connection: close\r\n').replace(admin.text, key.text));
    return Number(/^HTTP\/1.1 (\d+)/.exec(text)?.[1] ?? 0);
  };
  expect(await status('203.0.113.7')).toBe(200);
  expect(await status('203.0.113.8')).toBe(401);
});

test('the process of an api shuts down gracefully, though clients hold connections with TLS', async () => {
  const to = `https://127.0.0.1:${port}`;
  const idle = dial(to);
  idle.write(get());
  await once(idle, 'data');
  const silent = dial(to);
  await once(silent.resume(), 'secureConnect');
  const early = await holdOpen(to.replace('https', 'http'), '\x16');
  sockets.push(early.resume());
  await ending.part.stop({ graceMs: LIMIT_MS });
  expect(await ending.part.exited).toEqual({ code: 0, signal: null });
});

/** The first octets of a client. */
async function clientHello(): Promise<Buffer> {
  const { createServer } = await import('node:net');
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  dial(`https://127.0.0.1:${port}`);
  const [socket] = (await once(server, 'connection')) as [Socket];
  const [hello] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  server.close();
  return hello;
}
