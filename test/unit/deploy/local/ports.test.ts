// Free ports and the memory of them.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { processIdentity } from '../../../../deploy/local/parts/liveness.ts';
import { allocatePorts, isFree } from '../../../../deploy/local/parts/ports.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';

const base = await temporaryFolder('ports');
const open: { close(): unknown }[] = [];
let stateDir: string;
let round = 0;

beforeEach(async () => {
  stateDir = join(base, String(round++));
  await mkdir(stateDir);
});
afterEach(() => {
  for (const socket of open.splice(0)) socket.close();
});

const allocate = (wishes: Parameters<typeof allocatePorts>[0], more = {}) =>
  allocatePorts(wishes, { stateDir, claimsDir: join(base, 'claims'), ...more });

async function listen(port: number): Promise<void> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  open.push(server);
}

async function receive(port: number): Promise<void> {
  const socket = createSocket('udp4').bind(port, '127.0.0.1');
  await once(socket, 'listening');
  open.push(socket);
}

test('every wish gets a port of its own, below the ephemeral range', async () => {
  const ports = Object.values(await allocate(['a', 'b', 'c', 'd'].map((name) => ({ name }))));
  expect(new Set(ports).size).toBe(4);
  for (const port of ports) expect(port).toSatisfy((value: number) => value >= 20_000 && value < 32_768);
});

test('the same state folder gets the same ports again', async () => {
  const wishes = [{ name: 'api' }, { name: 'dns', dns: true }];
  expect(await allocate(wishes)).toEqual(await allocate(wishes));
});

test('a remembered port that is taken meanwhile is replaced, and the others stay', async () => {
  const wishes = [{ name: 'api' }, { name: 'dns', dns: true }];
  const before = await allocate(wishes);
  await listen(before.api ?? 0);
  const after = await allocate(wishes);
  expect(after.api).not.toBe(before.api);
  expect(after.dns).toBe(before.dns);
});

test('a port whose UDP side is taken is free for HTTP and not for DNS', async () => {
  const { probe } = await allocate([{ name: 'probe' }]);
  await receive(probe ?? 0);
  expect(await isFree(probe ?? 0, false)).toBe(true);
  expect(await isFree(probe ?? 0, true)).toBe(false);
});

test('a port that was asked for is taken, or refused by name', async () => {
  const { port } = await allocate([{ name: 'port' }]);
  expect(await allocate([{ name: 'dns', dns: true, port: port ?? 0 }])).toEqual({ dns: port });
  await listen(port ?? 0);
  await expect(allocate([{ name: 'dns', port: port ?? 0 }])).rejects.toThrow(`port ${port} (dns) is in use`);
});

test('a port that a living process has claimed for another state folder is passed over, a dead claim is not', async () => {
  const claims = join(base, 'claims-of-others');
  await mkdir(claims);
  await writeFile(join(claims, '20000'), `${processIdentity(process.pid)} /another/state`);
  await writeFile(join(claims, '20001'), `${process.pid}:1 /another/state`);
  const numbers = [0, 1, 2].map((step) => step / 12_000 + 1e-9);
  const random = () => numbers.shift() ?? 0.5;
  const { api } = await allocate([{ name: 'api' }], { random, claimsDir: claims });
  expect(api).toBe(20_001);
});

test('a damaged memory is forgotten', async () => {
  await writeFile(join(stateDir, 'ports.json'), '{"api": "80", "dns"');
  const ports = await allocate([{ name: 'api' }]);
  expect(JSON.parse(await readFile(join(stateDir, 'ports.json'), 'utf8'))).toEqual(ports);
});
