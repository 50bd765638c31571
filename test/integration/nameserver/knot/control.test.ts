// Commands for a real knotd, and for sockets that fail as knotd does.
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { type KnotSession, knotControl } from '#nameserver/knot/control.ts';
import { BLOCK, encodeUnit } from '#nameserver/knot/protocol.ts';
import { type TestKnot, testKnot } from '../../../support/knot/knot.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';

let knot: TestKnot;
let folder: string;
beforeAll(async () => {
  knot = await testKnot();
  folder = await temporaryFolder('control');
});

const ANSWER = Buffer.concat([encodeUnit({ kind: 'data', item: { type: 'version', data: 'x' } }), BLOCK]);
const servers: Server[] = [];
let next = 0;
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A socket that treats its n-th connection, from 0, as the test says. */
async function listen(onConnection: (socket: Socket, index: number) => void): Promise<string> {
  const path = join(folder, `${next++}.sock`);
  let index = 0;
  const server = createServer((socket) => {
    socket.on('error', () => {});
    onConnection(socket, index++);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return path;
}

test('commands for knotd are answered with items', async () => {
  const items = await knot.control.run('status', { type: 'version' });
  expect(items).toEqual([{ command: 'status', type: 'version', data: expect.stringMatching(/^(Version: )?3\.\d/) }]);
});

test('commands for knotd that Knot refuses fail with its text and the place', async () => {
  const refused = knot.control.run('zone-begin', { zone: 'absent.example.' });
  await expect(refused).rejects.toMatchObject({
    name: 'KnotError',
    failure: 'refused',
    reason: 'no such zone found',
    message: 'Knot refused zone-begin of absent.example.: no such zone found',
  });
  await expect(knot.control.run('conf-read', { section: 'nothing' })).rejects.toMatchObject({
    failure: 'refused',
    reason: 'invalid item',
    message: 'Knot refused conf-read of nothing: invalid item',
  });
  await expect(knot.control.run('status')).resolves.toBeDefined();
});

test('commands for knotd are answered in the order of the calls on one connection', async () => {
  const texts = await knot.control.session(({ run }) =>
    Promise.all(
      ['version', 'workers', 'configure', 'version'].map(async (type) => (await run('status', { type }))[0]?.data),
    ),
  );
  const version = expect.stringMatching(/^(Version: )?3\.\d/);
  expect(texts).toEqual([version, expect.stringMatching(/^UDP workers: /), expect.anything(), version]);
});

test('commands for knotd share a few connections', async () => {
  const answers = await Promise.all(Array.from({ length: 200 }, () => knot.control.run('status', { type: 'version' })));
  expect(answers).toHaveLength(200);
});

test('commands for knotd do not keep knotc from its answer', async () => {
  const other = async () => {
    await knot.control.run('status');
    await knot.control.session(async ({ run }) => run('status'));
    // An idle connection would hold this one up for 5 s, the limit of the configuration for idle connections.
    return knotControl({ socket: knot.folder.socket }).run('status', {}, AbortSignal.timeout(4_000));
  };
  // A busy machine may hold it up once.
  await expect(other().catch(other)).resolves.toBeDefined();
});

test('a command that is not answered ends with its signal, and its late answer is not the next one’s', async () => {
  const sockets: Socket[] = [];
  const socket = await listen((connection, index) => {
    sockets.push(connection);
    if (index > 0) connection.on('data', () => connection.write(ANSWER));
  });
  const control = knotControl({ socket });
  const stop = new AbortController();
  const silent = control.session(async ({ run }) => {
    await expect(run('status', {}, stop.signal)).rejects.toThrow('enough');
    sockets[0]?.write(ANSWER);
    await expect(run('status')).rejects.toThrow('enough');
  });
  await expect.poll(() => sockets.length).toBe(1);
  stop.abort(new Error('enough'));
  await silent;
  await expect(control.run('status')).resolves.toEqual([{ type: 'version', data: 'x' }]);
});

test('a session that changes the configuration runs alone', async () => {
  let open = 0;
  let most = 0;
  const socket = await listen((connection) => {
    connection.once('data', async () => {
      open += 1;
      most = Math.max(most, open);
      await setTimeout(50);
      open -= 1;
      connection.write(ANSWER);
    });
  });
  const control = knotControl({ socket });
  const work = ({ run }: KnotSession) => run('status');
  await Promise.all([
    control.sessionAlone(work),
    control.session(work),
    control.run('conf-get'),
    control.run('reload'),
  ]);
  expect(most).toBe(1);
  await Promise.all([control.session(work), control.run('zone-status'), control.run('conf-read')]);
  expect(most).toBe(3);
});

test('a command that is not answered ends with its limit', async () => {
  const socket = await listen(() => {});
  const control = knotControl({ socket, commandMs: 50 });
  await expect(control.run('status')).rejects.toMatchObject({ failure: 'timeout', name: 'KnotError' });
});

test('a command that is not answered ends when knotd ends', async () => {
  const socket = await listen((connection) => connection.on('data', () => connection.destroy()));
  await expect(knotControl({ socket }).run('status')).rejects.toMatchObject({ failure: 'unreachable' });
});

test('a command that is not answered ends when the answer is something else', async () => {
  const socket = await listen((connection) => connection.end('SSH-2.0-OpenSSH\r\n'));
  await expect(knotControl({ socket }).run('status')).rejects.toMatchObject({ failure: 'protocol' });
});

test('a command that is not answered ends with the control connection, which takes waiting commands along', async () => {
  const socket = await listen(() => {});
  const control = knotControl({ socket, connections: 1 });
  const both = Promise.allSettled([control.run('status'), control.run('status')]);
  control.close();
  for (const result of await both) expect(result).toMatchObject({ reason: { failure: 'unreachable' } });
});

test('a socket that cannot be reached is tried again until knotd is there', async () => {
  const path = join(folder, 'late.sock');
  const command = knotControl({ socket: path }).run('status');
  const server = createServer((connection) => connection.on('data', () => connection.write(ANSWER)));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(path, resolve));
  await expect(command).resolves.toEqual([{ type: 'version', data: 'x' }]);
});

test('a socket that cannot be reached is an error after the limit, with the path and the reason', async () => {
  const control = knotControl({ socket: join(folder, 'none.sock'), connectMs: 50 });
  await expect(control.run('status')).rejects.toMatchObject({
    failure: 'unreachable',
    message: expect.stringMatching(/none\.sock: .*ENOENT.*Is knotd running/),
  });
});

test('a socket at which no process listens is an error long before the wait for a busy knotd ends', async () => {
  const control = knotControl({ socket: join(folder, 'none.sock'), connectMs: 60_000, absentMs: 50 });
  const since = performance.now();
  await expect(control.run('status')).rejects.toMatchObject({
    failure: 'unreachable',
    reason: expect.stringContaining('ENOENT'),
  });
  expect(performance.now() - since).toBeLessThan(30_000);
});

test('a path that is not a socket is an error at once', async () => {
  await expect(knotControl({ socket: '/etc/passwd/knot.sock' }).run('status')).rejects.toMatchObject({
    failure: 'unreachable',
  });
});

test('a command with many units lets other work run while it is sent', async () => {
  const units = Array.from({ length: 60_000 }, (_, index) => ({ zone: 'absent.example.', owner: `n${index}` }));
  let turns = 0;
  let isSent = false;
  const count = () => {
    turns += 1;
    if (!isSent) setImmediate(count);
  };
  const socket = await listen((connection) => {
    connection.on('data', (chunk: Buffer) => chunk.at(-1) === BLOCK[0] && connection.write(BLOCK));
  });
  setImmediate(count);
  await knotControl({ socket }).session(({ stream }) => stream('zone-set', units, () => {}));
  isSent = true;
  // After each piece of 64 KiB.
  const octets = units.reduce((sum, unit) => sum + encodeUnit({ kind: 'data', item: unit }).length, 0);
  expect(turns).toBeGreaterThanOrEqual(Math.floor(octets / 65_536));
});

test('an answer that is taken slowly waits with knotd', async () => {
  let sent = 0;
  const piece = Buffer.concat(
    Array.from({ length: 100 }, () => encodeUnit({ kind: 'data', item: { data: 'x'.repeat(1_000) } })),
  );
  const socket = await listen((connection) => {
    const write = () => {
      while (sent < 500) {
        sent += 1;
        if (!connection.write(piece)) return connection.once('drain', write);
      }
      return connection.write(BLOCK);
    };
    connection.once('data', write);
  });
  let go: (() => void) | undefined;
  let taken = 0;
  const reading = knotControl({ socket }).session(({ stream }) =>
    stream('zone-read', [{}], (items) => {
      taken += items.length;
      return go === undefined ? new Promise<void>((resolve) => (go = resolve)) : undefined;
    }),
  );
  await expect.poll(() => go).toBeDefined();
  // The system's buffers hold some of the 50 MB.
  const seen: number[] = [];
  await expect.poll(() => seen.unshift(sent) > 1 && seen[0] === seen[1]).toBe(true);
  expect(sent).toBeLessThan(100);
  go?.();
  await reading;
  expect(taken).toBe(50_000);
});
