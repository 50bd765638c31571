// Clients that send slowly, too much, or nothing at all: each connection is bounded in time and in bytes, gets an error
// in the usual format (contract E1), and delays no other client.
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { holdOpen, sendBare } from '../../support/http/bare.ts';
import { startTestService } from '../../support/service/service.ts';

const REQUEST_MS = 2_000;
/** Allows for a loaded machine. Without it, the bound is twice the time limit of a request. */
const SLACK_MS = 60_000;
const MANY = 200;
const service = await startTestService({ requestMs: REQUEST_MS, nameserver: false });
const { request, admin, url } = service;
const zone = await service.zone('slow.example');
const auth = `Authorization: Bearer ${admin.text}\r\n`;
const post = `POST /v1/dns/zones/${zone.id}/records HTTP/1.1\r\nHost: a\r\n${auth}Content-Type: application/json\r\n`;

const drips: NodeJS.Timeout[] = [];
afterAll(() => drips.forEach(clearInterval));

/** Sends one byte at a time, so that the connection is never silent. */
function drip(socket: Socket): Socket {
  const timer = setInterval(() => socket.writable && socket.write('x'), 200);
  drips.push(timer);
  socket.once('close', () => clearInterval(timer));
  return socket;
}

async function ended(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  await new Promise((resolve) => socket.once('close', resolve));
  return text;
}

const within = { timeout: REQUEST_MS * 2 + SLACK_MS };
test.concurrent.each([
  ['that sends nothing', '', false],
  ['that stops in its headers', `${post}X: y`, false],
  ['that sends its headers byte by byte', `${post}X: y`, true],
  ['that stops in its body', `${post}Content-Length: 1000\r\n\r\n{`, false],
  ['that sends its body byte by byte', `${post}Content-Length: 100000\r\n\r\n{`, true],
  ['that sends chunks byte by byte', `${post}Transfer-Encoding: chunked\r\n\r\n186a0\r\n{`, true],
])('a connection %s is closed in time', within, async (_, bytes, dripping) => {
  const socket = await holdOpen(url, bytes);
  if (dripping) drip(socket);
  const text = await ended(socket);
  expect(text).toMatch(/^HTTP\/1.1 408 /);
  expect(JSON.parse(text.split('\r\n\r\n')[1] ?? '')).toEqual({
    error: 'bad_request',
    message: expect.stringMatching(/in time/),
  });
});

test.each([
  ['headers', `${post}X: y`],
  ['a body', `${post}Content-Length: 100000\r\n\r\n{`],
])(
  'a connection that keeps its half open and keeps sending %s is closed a moment after the answer',
  within,
  async (_, bytes) => {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    socket.on('error', () => undefined).resume();
    const answered = new Promise<number>((resolve) => socket.once('data', () => resolve(performance.now())));
    socket.write(bytes);
    drip(socket);
    const since = await answered;
    await new Promise((resolve) => socket.once('close', resolve));
    expect(performance.now() - since).toBeLessThan(30_000);
  },
);

test('a connection that completes its request after the 408 is not served any more', within, async () => {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  socket.on('error', () => undefined);
  const late = '{"name":"late","type":"A","content":"192.0.2.1"}';
  socket.write(`${post}Content-Length: ${late.length}\r\n`);
  await new Promise((resolve) => socket.once('data', resolve));
  socket.write(`\r\n${late}`);
  await sleep(500);
  socket.destroy();
  expect((await request('GET', `/zones/${zone.id}/records?name=late`)).body.records).toEqual([]);
});

test('a connection that is idle between two requests may stay longer', async () => {
  const get = `GET /v1/dns/zones HTTP/1.1\r\nHost: a\r\n${auth}\r\n`;
  const socket = await holdOpen(url, get);
  let answers = 0;
  socket.on('data', (chunk) => {
    answers += String(chunk).split('HTTP/1.1 200').length - 1;
  });
  await expect.poll(() => answers).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, REQUEST_MS * 1.5));
  socket.write(get);
  await expect.poll(() => answers).toBe(2);
  socket.destroy();
});

test(`${MANY} slow connections at once delay no other client, and all are closed`, { timeout: 300_000 }, async () => {
  const kinds = ['', `${post}X: y`, `${post}Content-Length: 1000\r\n\r\n{`, `${post}Content-Length: 100000\r\n\r\n{`];
  const sockets = await Promise.all(Array.from({ length: MANY }, (_, at) => holdOpen(url, kinds[at % 4] ?? '')));
  for (const [at, socket] of sockets.entries()) if (at % 4 === 3) drip(socket);
  const all = Promise.all(sockets.map(ended));
  for (let at = 0; at < 20; at++) await service.record(zone, `between${at}`, 'A', '192.0.2.1');
  await all;
  expect((await request('GET', `/zones/${zone.id}/records?limit=20`)).body.records).toHaveLength(20);
});

const body = `{"name":"big","type":"TXT","content":"${'x'.repeat(10_000_000)}"}`;
const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
test.each([
  ['with a known length', `${post}Content-Length: ${body.length}\r\n\r\n${body}`],
  ['in chunks', `${post}Transfer-Encoding: chunked\r\n\r\n${chunked}`],
  [
    'as a zone file',
    `${post.replace('POST', 'PUT').replace('records', 'zonefile').replace('application/json', 'text/dns')}Content-Length: ${body.length}\r\n\r\n${body}`,
  ],
  ['of a batch', `${post.replace('/records', '/records:batch')}Content-Length: ${body.length}\r\n\r\n${body}`],
])('a body of 10 MB %s is answered 413 before it is read, and the connection is closed', async (_, bytes) => {
  const reply = await sendBare(url, bytes);
  expect([reply.status, reply.body.error, reply.closed]).toEqual([413, 'bad_request', true]);
  expect(reply.body.message).toMatch(/at most \d MiB/);
});

test('a body of 10 MB without a key is 401, and does not wait for the body either', async () => {
  const reply = await sendBare(
    url,
    `${post.replace(auth, '')}Content-Length: ${body.length}\r\n\r\n${body.slice(0, 100_000)}`,
  );
  expect([reply.status, reply.body.error]).toEqual([401, 'unauthorized']);
});

test('headers of more than 16 KiB are 431, many or one', async () => {
  const many = Array.from({ length: 2_000 }, (_, at) => `X-${at}: 0123456789\r\n`).join('');
  for (const headers of [many, `X: ${'x'.repeat(17_000)}\r\n`, `Authorization: Bearer ${'x'.repeat(17_000)}\r\n`]) {
    const reply = await sendBare(url, `GET /v1/dns/zones HTTP/1.1\r\nHost: a\r\n${headers}\r\n`);
    expect([reply.status, reply.body.error, reply.closed]).toEqual([431, 'bad_request', true]);
  }
});
