// Limits of connections, on a real server.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { limitConnections, lingerAfterAnswer } from '#http/connections/sockets.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function listen(set: (server: Server) => void, host = '127.0.0.1'): Promise<number> {
  const server = createServer((_request, response) => void response.end('ok'));
  set(server);
  server.listen(0, host);
  await once(server, 'listening');
  closers.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

async function dial(port: number, localAddress = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  socket.on('error', () => undefined);
  closers.push(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** Whether the server reads from it. */
async function isServed(socket: Socket): Promise<boolean> {
  const answer = new Promise<boolean>((resolve) => {
    socket.once('data', () => resolve(true));
    socket.once('close', () => resolve(false));
  });
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  return answer;
}

test('connections from one address are limited; another address has its own limit, and a closed one makes room', async () => {
  let refused = 0;
  const port = await listen((server) =>
    limitConnections(server, { total: 100, perAddress: 2 }, () => {
      refused += 1;
    }),
  );
  const first = await dial(port);
  expect([await isServed(first), await isServed(await dial(port))]).toEqual([true, true]);
  expect(await isServed(await dial(port))).toBe(false);
  expect(refused).toBe(1);
  expect(await isServed(await dial(port, '127.0.0.2'))).toBe(true);
  first.destroy();
  await expect.poll(async () => isServed(await dial(port))).toBe(true);
});

test('connections from an exempt address are not counted', async () => {
  const isExempt = (address: string) => address === '127.0.0.3';
  const port = await listen((server) => limitConnections(server, { total: 100, perAddress: 1, isExempt }));
  for (let at = 0; at < 3; at++) expect(await isServed(await dial(port, '127.0.0.3'))).toBe(true);
});

test('connections from all addresses together are limited', async () => {
  let refused = 0;
  const port = await listen((server) =>
    limitConnections(server, { total: 2, perAddress: 100 }, () => {
      refused += 1;
    }),
  );
  const kept = [await dial(port), await dial(port, '127.0.0.2')];
  for (const socket of kept) expect(await isServed(socket)).toBe(true);
  expect(await isServed(await dial(port, '127.0.0.3'))).toBe(false);
  expect(refused).toBe(1);
});

test('an answer to a body that still arrives is kept until its client reads it, and the connection still ends', async () => {
  const server = createServer((request, response) => {
    response.writeHead(413, { connection: 'close' });
    lingerAfterAnswer(request.socket);
    response.end('too large');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(
    () => server.closeAllConnections(),
    () => void server.close(),
  );
  const socket = await dial((server.address() as AddressInfo).port, '127.0.0.1');
  let answer = '';
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket
    .on('error', () => undefined)
    .on('data', (chunk) => {
      answer += chunk;
    });
  socket.pause();
  socket.write('PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 8000000\r\n\r\n');
  // The client continues sending for a while before it looks at the answer.
  for (let part = 0; part < 5; part += 1) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    socket.write('x'.repeat(100_000));
  }
  socket.resume();
  await closed;
  expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  expect(answer).toContain('too large');
});
