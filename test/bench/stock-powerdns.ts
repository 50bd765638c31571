// An unmodified PowerDNS: its own schema in a database of its own, and its HTTP API. It is the other side of a
// comparison.
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import postgres from 'postgres';
import type { ProbeEndpoint } from '#nameserver/probe/probe.ts';
import { ensureDatabase, ensureRole, giveDatabase } from '#store/admin.ts';
import { allocatePorts } from '../../deploy/local/parts/ports.ts';
import { startProcess, waitFor } from '../../deploy/local/parts/process.ts';
import { ensurePowerDns } from './powerdns.ts';
import { type Bench, print } from './support.ts';

export interface StockPowerDns {
  /** Base address of the server's API: `…/api/v1/servers/localhost`. */
  url: string;
  headers: Record<string, string>;
  /** Where it answers questions. */
  dns: ProbeEndpoint;
}

/** Where Debian's pdns-backend-pgsql keeps it. */
const SCHEMA = '/usr/share/pdns-backend-pgsql/schema/schema.pgsql.sql';
const NAME = 'stock_pdns';

/** Starts it on the Postgres of our own service, as startStockPowerDns does. */
export async function startStockBeside(bench: Bench, databaseUrl: string): Promise<StockPowerDns> {
  const password = await readFile(join(bench.stateDir, 'postgres', 'password'), 'utf8');
  return startStockPowerDns(bench, `postgres://postgres:${password}@${new URL(databaseUrl).host}/postgres`);
}

/**
 * Starts it on the Postgres of `admin`. All settings that cost or save work are PowerDNS' defaults (api-rectify and
 * consistent-backends among them), except for its logs, which are off in its favour.
 * @param admin address of a superuser
 */
async function startStockPowerDns({ stateDir, signal, atEnd }: Bench, admin: string): Promise<StockPowerDns> {
  const password = randomBytes(16).toString('hex');
  const key = randomBytes(16).toString('hex');
  await ensureRole(admin, NAME, password);
  await ensureDatabase(admin, NAME);
  await giveDatabase(admin, NAME, NAME);
  const at = new URL(admin);
  const sql = postgres({ host: at.hostname, port: Number(at.port), database: NAME, username: NAME, password, max: 1 });
  await sql.unsafe(await readFile(SCHEMA, 'utf8'));
  await sql.end();

  const ports = await allocatePorts([{ name: 'stockDns', dns: true }, { name: 'stockApi' }], { stateDir });
  const folder = join(stateDir, 'stock-powerdns');
  await mkdir(folder, { recursive: true });
  const settings = {
    launch: 'gpgsql',
    'gpgsql-host': at.hostname,
    'gpgsql-port': at.port,
    'gpgsql-dbname': NAME,
    'gpgsql-user': NAME,
    'gpgsql-password': password,
    'gpgsql-dnssec': 'yes',
    'local-address': '127.0.0.1',
    'local-port': ports.stockDns,
    'socket-dir': folder,
    'security-poll-suffix': '',
    daemon: 'no',
    guardian: 'no',
    'write-pid': 'no',
    api: 'yes',
    'api-key': key,
    webserver: 'yes',
    'webserver-address': '127.0.0.1',
    'webserver-port': ports.stockApi,
    'webserver-loglevel': 'none',
    loglevel: 3,
  };
  const text = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(join(folder, 'pdns.conf'), text.join(''), { mode: 0o600 });
  const part = startProcess({
    name: 'stock PowerDNS',
    command: await ensurePowerDns({ progress: print, signal }),
    args: [`--config-dir=${folder}`],
    logFile: join(folder, 'powerdns.log'),
  });
  atEnd(() => part.stop());
  const url = `http://127.0.0.1:${ports.stockApi}/api/v1/servers/localhost`;
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  await waitFor(async (limit) => (await fetch(url, { headers, signal: limit })).ok, {
    what: 'the API of the stock PowerDNS',
    timeoutMs: 30_000,
    intervalMs: 50,
    part,
    signal,
  });
  return { url, headers, dns: { address: '127.0.0.1', port: ports.stockDns } };
}
