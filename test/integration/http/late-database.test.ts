// An api whose database is not reachable: one log line and the readiness probe name the cause, and the api recovers
// when the database is reachable.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { databaseUrl } from '#service/accounts/bootstrap.ts';
import { ensureDatabase, giveDatabase } from '#store/admin.ts';
import { allocatePorts } from '../../../deploy/local/parts/ports.ts';
import { startProcess } from '../../../deploy/local/parts/process.ts';
import { dropDatabase } from '../../support/postgres/database.ts';
import { COMPILED } from '../../support/program/compiled.ts';

const MAIN = new URL('../../../src/main.ts', import.meta.url).pathname;

test('an api without its database runs, is not ready, and becomes ready when the database is created', async () => {
  const { adminUrl, service } = inject('postgres');
  const name = `test_late_${process.pid}`;
  const stateDir = await mkdtemp(join(tmpdir(), 'zonestead-late-'));
  const { api, health } = await allocatePorts([{ name: 'api' }, { name: 'health' }], { stateDir });
  const logFile = join(stateDir, 'api.log');
  const part = startProcess({
    name: 'api',
    command: process.execPath,
    args: [MAIN, 'api'],
    env: {
      PATH: process.env.PATH,
      ...COMPILED,
      DATABASE_URL: databaseUrl(adminUrl, name, service),
      ZONESTEAD_LISTEN: `127.0.0.1:${api}`,
      ZONESTEAD_HEALTH_LISTEN: `127.0.0.1:${health}`,
      ZONESTEAD_NAMESERVERS: 'ns1.example',
    },
    logFile,
  });
  const ask = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${health}${path}`).catch(() => undefined);
    return answer && { status: answer.status, text: await answer.text() };
  };
  try {
    const missing = { status: 503, text: expect.stringContaining('the database does not exist (3D000)') };
    await expect.poll(() => ask('/readyz')).toEqual(missing);
    expect(await ask('/healthz')).toMatchObject({ status: 200 });
    expect(await ask('/readyz?deep')).toEqual(missing);
    expect((await ask('/metrics'))?.text).toMatch(/^zonestead_database_up 0$/m);
    const before = (await readFile(logFile, 'utf8')).split('\n').filter((line) => line.includes('3D000'));
    expect(before).toHaveLength(1);
    expect(before[0]).not.toContain(service.password);
    await ensureDatabase(adminUrl, name);
    await giveDatabase(adminUrl, name, service.name);
    await expect.poll(() => ask('/readyz'), { timeout: 60_000 }).toMatchObject({ status: 200 });
    expect((await fetch(`http://127.0.0.1:${api}/v1/dns/openapi.json`)).status).toBe(200);
  } finally {
    await part.stop();
    await dropDatabase(adminUrl, name);
    await rm(stateDir, { recursive: true, force: true });
  }
});
