// PowerDNS with the configuration that `pdns-conf` writes, as in a pod: it answers, readiness detects a lost database, and a
// changed password makes it exit, so that it is started again with the new file.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { answeringProblem } from '#nameserver/companion/answering.ts';
import { renewConf, writeConf } from '#nameserver/companion/conf-file.ts';
import { controlSocket } from '#nameserver/companion/pdns-conf.ts';
import { allocatePorts } from '../../../deploy/local/parts/ports.ts';
import { startProcess } from '../../../deploy/local/parts/process.ts';
import { cloneDatabase } from '../../support/database.ts';

test('PowerDNS follows its configuration', async () => {
  const database = await cloneDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'zonestead-pdns-'));
  const { dns: port } = await allocatePorts([{ name: 'dns', dns: true }], { stateDir: folder });
  const config = {
    ZONESTEAD_NAMESERVER_DATABASE_URL: database.nameserverUrl,
    ZONESTEAD_PDNS_LISTEN: '127.0.0.1',
    ZONESTEAD_PDNS_PORT: port,
    ZONESTEAD_PDNS_THREADS: 1,
    ZONESTEAD_PDNS_DATABASE_CA: undefined,
  };
  const file = join(folder, 'pdns.conf');
  const start = () =>
    startProcess({
      name: 'powerdns',
      command: inject('tools').pdnsServer,
      args: [`--config-dir=${folder}`],
      logFile: join(folder, 'powerdns.log'),
    });
  const { signal } = new AbortController();
  const problem = () => answeringProblem({ host: '127.0.0.1', port }, signal);
  expect(await problem()).toBe('PowerDNS does not answer');
  await writeConf(config, file, folder);
  let part = start();
  try {
    await expect.poll(problem).toBe(null);
    // The same settings have no effect.
    await renewConf(config, file, controlSocket(folder));
    expect(await problem()).toBe(null);

    const wrong = new URL(database.nameserverUrl);
    wrong.password = 'another';
    const changed = { ...config, ZONESTEAD_NAMESERVER_DATABASE_URL: wrong.toString() };
    await renewConf(changed, file, controlSocket(folder));
    await expect.poll(problem).toBe('PowerDNS does not answer');
    await part.stop();
    part = start();
    // PowerDNS cannot log in: it is silent or answers SERVFAIL, but is never ready.
    expect(await problem()).not.toBe(null);
  } finally {
    await part.stop();
    await rm(folder, { recursive: true, force: true });
    await database.close();
  }
});
