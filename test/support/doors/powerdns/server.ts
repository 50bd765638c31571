// A real PowerDNS with its HTTP API, on SQLite: the model for our answers to the same requests.
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll } from 'vitest';
import { allocatePorts } from '../../../../deploy/local/parts/ports.ts';
import { startProcess, waitFor } from '../../../../deploy/local/parts/process.ts';
import { temporaryFolder } from '../../runner/temporary.ts';
import { type PowerDnsRequest, powerDnsClient } from './client.ts';

/** Where Debian's pdns-backend-sqlite3 keeps it. */
const SCHEMA = '/usr/share/pdns-backend-sqlite3/schema/schema.sqlite3.sql';

export interface RealPowerDns {
  /** Without /api. */
  url: string;
  key: string;
  /** Where it answers queries. */
  dns: { address: string; port: number };
  send: PowerDnsRequest;
  /** That of its configuration, for pdnsutil. */
  folder: string;
}

/** To be called at the top of a test file. */
export async function startPowerDns(): Promise<RealPowerDns> {
  const folder = await temporaryFolder('powerdns');
  const database = join(folder, 'zones.sqlite3');
  const db = new DatabaseSync(database);
  db.exec(await readFile(SCHEMA, 'utf8'));
  db.close();
  const key = randomBytes(16).toString('hex');
  const ports = await allocatePorts([{ name: 'powerDns', dns: true }, { name: 'powerDnsApi' }], { stateDir: folder });
  const settings = {
    launch: 'gsqlite3',
    'gsqlite3-database': database,
    'gsqlite3-dnssec': 'yes',
    'gsqlite3-pragma-synchronous': 0,
    'local-address': '127.0.0.1',
    'local-port': ports.powerDns,
    'socket-dir': folder,
    'security-poll-suffix': '',
    'default-soa-content': 'ns1.zonestead.test. hostmaster.@ 0 10800 3600 604800 60',
    // A key that another process removed would sign for another 30 s.
    'dnssec-key-cache-ttl': 0,
    'cache-ttl': 0,
    'query-cache-ttl': 0,
    'negquery-cache-ttl': 0,
    daemon: 'no',
    guardian: 'no',
    'write-pid': 'no',
    api: 'yes',
    'api-key': key,
    webserver: 'yes',
    'webserver-address': '127.0.0.1',
    'webserver-port': ports.powerDnsApi,
    'webserver-loglevel': 'none',
    loglevel: 3,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(join(folder, 'pdns.conf'), lines.join(''), { mode: 0o600 });
  const part = startProcess({
    name: 'PowerDNS',
    command: 'pdns_server',
    args: [`--config-dir=${folder}`],
    logFile: join(folder, 'powerdns.log'),
  });
  afterAll(() => part.stop());
  const url = `http://127.0.0.1:${ports.powerDnsApi}`;
  await waitFor(async (limit) => (await fetch(`${url}/api`, { headers: { 'x-api-key': key }, signal: limit })).ok, {
    what: 'the API of PowerDNS',
    timeoutMs: 60_000,
    intervalMs: 50,
    part,
    signal: new AbortController().signal,
  });
  return { url, key, dns: { address: '127.0.0.1', port: ports.powerDns ?? 0 }, send: powerDnsClient(url, key), folder };
}
