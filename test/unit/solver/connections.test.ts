// Connections to the solver from any client that reaches its port: their number and their time are limited before the
// client is authenticated.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { startSolverServer } from '#solver/server.ts';
import { createPki } from '../../support/kube/front-proxy.ts';

const dir = await mkdtemp(join(tmpdir(), 'zonestead-solver-'));
const pki = await createPki(dir);
const server = await startSolverServer(
  {
    listen: { host: '127.0.0.1', port: 0 },
    router: async () => ({ status: 200, headers: {}, body: 'ok' }),
    identify: () => {
      throw new Error('no server may be asked');
    },
  },
  pki.serving,
);
const sockets: Socket[] = [];
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await server.close(100);
  await rm(dir, { recursive: true, force: true });
});

async function dial(localAddress: string): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port: server.port, localAddress });
  sockets.push(socket.on('error', () => undefined).resume());
  await once(socket, 'connect');
  return socket;
}

test('one address may have 500 open connections, the next one is closed, and another address can still connect', async () => {
  const held = await Promise.all(Array.from({ length: 501 }, () => dial('127.0.0.2')));
  const open = () => held.filter(({ closed }) => !closed).length;
  await expect.poll(open).toBe(500);
  const other = await dial('127.0.0.1');
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect([open(), other.closed]).toEqual([500, false]);
});

test('a connection without a TLS handshake is closed after 10 s', { timeout: 300_000 }, async () => {
  const silent = await dial('127.0.0.3');
  const since = performance.now();
  await once(silent, 'close');
  expect(performance.now() - since).toBeGreaterThan(9_000);
  expect(performance.now() - since).toBeLessThan(60_000);
});
