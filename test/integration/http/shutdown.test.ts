// The api process shuts down gracefully: it answers a request that it has read in part by then.
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, inject, test } from 'vitest';
import { startCommand } from '../../../deploy/local/parts/command.ts';
import type { Part } from '../../../deploy/local/parts/part.ts';
import { allocatePorts } from '../../../deploy/local/parts/ports.ts';
import { NAMESERVERS, startTestService } from '../../support/service/service.ts';

const service = await startTestService();
const { signal } = new AbortController();
const stateDir = await mkdtemp(join(tmpdir(), 'zonestead-shutdown-'));
await chmod(stateDir, 0o755);
const ports = await allocatePorts([{ name: 'api' }, { name: 'health' }], { stateDir });
let api: Part | undefined;

afterAll(async () => {
  await api?.stop();
  await rm(stateDir, { recursive: true, force: true });
});

test('the api answers the request that it has read in part when it is told to exit, and closes the connection', async () => {
  const env = {
    DATABASE_URL: service.database.url,
    ZONESTEAD_LISTEN: `127.0.0.1:${ports.api}`,
    ZONESTEAD_NAMESERVERS: NAMESERVERS.join(','),
    ZONESTEAD_LIMITS: 'off',
  };
  api = await startCommand({ name: 'api', env, main: inject('program'), healthPort: ports.health, stateDir, signal });
  const socket = connect({ host: '127.0.0.1', port: ports.api as number });
  let answer = '';
  socket.setEncoding('latin1').on('data', (text) => {
    answer += text;
  });
  socket.write(`GET /v1/dns/zones HTTP/1.1\r\nHost: api\r\nAuthorization: Bearer ${service.admin.text}\r\n`);
  // The answer comes after the process has read the octets that arrived earlier.
  const live = () => fetch(`http://127.0.0.1:${ports.health}/healthz`, { headers: { connection: 'close' } });
  for (let turn = 0; turn < 3; turn += 1) expect((await live()).status).toBe(200);
  process.kill(api.pid, 'SIGTERM');
  // It accepts no connections any more.
  const isOpen = () =>
    new Promise<boolean>((resolve) => {
      const probe = connect({ host: '127.0.0.1', port: ports.api as number });
      probe.once('connect', () => resolve(true));
      probe.once('error', () => resolve(false));
      probe.once('close', () => resolve(false));
      probe.once('connect', () => probe.destroy());
    });
  await expect.poll(isOpen).toBe(false);
  // It is not ready any more while it finishes the request.
  expect((await fetch(`http://127.0.0.1:${ports.health}/readyz`, { headers: { connection: 'close' } })).status).toBe(
    503,
  );
  socket.write('\r\n');
  await expect.poll(() => answer).toMatch(/^HTTP\/1\.1 200 .*connection: close/is);
  await expect.poll(() => socket.readyState).toBe('closed');
});
