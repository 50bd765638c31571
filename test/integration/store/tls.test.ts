// TLS to a real Postgres: the server is verified by its name or its IP address, and by no authority but the one that
// was named.
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { chown, copyFile, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { openDatabase } from '#store/database.ts';
import { sql } from '#store/drizzle.ts';
import { unprivilegedAccount } from '../../../deploy/local/parts/account.ts';
import { type Credential, ensureAuthority, ensureCertificate } from '../../../deploy/local/parts/certificates.ts';
import { runCommand } from '../../../deploy/local/parts/commands.ts';
import { allocatePorts } from '../../../deploy/local/parts/ports.ts';
import {
  ensurePostgres,
  type Postgres,
  removePostgresState,
  startPostgres,
} from '../../../deploy/local/parts/postgres.ts';
import { one, render } from '../../support/chart/chart.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';

const { signal } = new AbortController();
let folder: string;
let postgres: Postgres;
let port: number;
let dataFolder: string;
let authority: Credential;
let other: Credential;

beforeAll(async () => {
  folder = await temporaryFolder('postgres-tls');
  ({ postgres: port = 0 } = await allocatePorts([{ name: 'postgres' }], { stateDir: folder }));
  authority = await ensureAuthority({ dir: join(folder, 'ca'), name: 'ca', commonName: 'Database' });
  other = await ensureAuthority({ dir: join(folder, 'other'), name: 'ca', commonName: 'Other' });
  await install(await certificate('localhost'));
  const { binDir } = await ensurePostgres({ progress: () => undefined, signal });
  const files = { ssl_cert_file: join(folder, 'server.crt'), ssl_key_file: join(folder, 'server.key') };
  const settings = { ssl: 'on', ...files };
  postgres = await startPostgres({ binDir, stateDir: folder, port, settings, durable: false, signal });
  const database = openDatabase(postgres.url, { max: 1 });
  const [row] = await database.db.build.execute<{ data_directory: string }>(sql`show data_directory`);
  dataFolder = row?.data_directory ?? '';
  await database.close();
}, 600_000);
afterAll(async () => {
  await postgres?.stop();
  await removePostgresState(folder);
});

/** @param name another name makes another certificate */
function certificate(host: string, from = authority, name = host): Promise<Credential> {
  const dir = join(folder, 'certificates', from === authority ? 'own' : 'foreign');
  return ensureCertificate({ dir, name, commonName: host, authority: from, hosts: [host] });
}

/** Postgres wants a key of its own account. */
async function install(credential: Credential): Promise<void> {
  const account = await unprivilegedAccount();
  for (const [from, name] of [
    [credential.certificateFile, 'server.crt'],
    [credential.keyFile, 'server.key'],
  ] as const) {
    await copyFile(from, join(folder, name));
    if (account !== undefined) await chown(join(folder, name), account.uid, account.gid);
  }
}

/** Serves with the certificate from now on. */
async function serve(host: string, from = authority): Promise<void> {
  await install(await certificate(host, from));
  expect(await probe()).toBe(0);
  for (const until = performance.now() + 20_000; ; ) {
    const served = await ask(host, { authorities: from.certificateFile }).catch((error: Error) => error);
    if (!(served instanceof Error)) return;
    if (performance.now() > until) throw served;
  }
}

/** The readiness probe of the chart, with the paths of this server. @returns its exit code */
async function probe(data = dataFolder): Promise<number | null> {
  const objects = await render({});
  const { readinessProbe } = one(objects, 'StatefulSet', 'zonestead-postgres').spec.template.spec.containers[0];
  const [command, ...args] = readinessProbe.exec.command.map((word: string) =>
    word
      .replaceAll('/etc/postgres-tls/tls.crt', join(folder, 'server.crt'))
      .replaceAll('/tmp/certificate-read', join(folder, 'certificate-read')),
  );
  const { code } = await runCommand({ command, args, env: { PGDATA: data }, timeoutMs: 20_000, signal });
  return code;
}

interface Options {
  mode?: string;
  authorities?: string | undefined;
}

/** Whether the connection is encrypted. @throws the error of the connection */
async function ask(host: string, { mode = 'verify-full', authorities }: Options = {}): Promise<boolean> {
  const url = new URL(postgres.url.replace('127.0.0.1', host));
  url.searchParams.set('sslmode', mode);
  if (authorities !== undefined) url.searchParams.set('sslrootcert', authorities);
  const database = openDatabase(url.href, { max: 1 });
  try {
    const [row] = await database.db.build.execute(sql`select ssl from pg_stat_ssl where pid = pg_backend_pid()`);
    return row?.ssl === true;
  } catch (error) {
    throw (error as Error).cause ?? error;
  } finally {
    await database.close();
  }
}

const CA = () => ({ authorities: authority.certificateFile });

test('a server with sslmode=verify-full is used if its certificate is for the name or the IP address of DATABASE_URL, and for no other', async () => {
  await serve('localhost');
  expect(await ask('localhost', CA())).toBe(true);
  await expect(ask('127.0.0.1', CA())).rejects.toThrow(
    /no TLS to the database server 127\.0\.0\.1:\d+: .*IP: 127\.0\.0\.1 is not in the cert's list/,
  );
  await serve('127.0.0.1');
  expect(await ask('127.0.0.1', CA())).toBe(true);
  await expect(ask('localhost', CA())).rejects.toThrow(/Host: localhost\. is not cert's CN: 127\.0\.0\.1/);
});

test('a server with sslmode=verify-full is refused with a certificate of another authority, and without a named authority', async () => {
  await serve('localhost', other);
  await expect(ask('localhost', CA())).rejects.toThrow(
    /no TLS .*: the certificate of the database is from an authority that this process does not trust .*: set ZONESTEAD_DATABASE_CA/,
  );
  await expect(ask('localhost')).rejects.toThrow(/authority that this process does not trust/);
  // This mode encrypts, and verifies nothing.
  expect(await ask('localhost', { mode: 'require' })).toBe(true);
});

test('a server with sslmode=verify-full is verified by the new authorities as soon as their file is replaced, and by none while the file is damaged', async () => {
  await serve('localhost');
  const file = join(folder, 'ca.crt');
  await copyFile(authority.certificateFile, file);
  const url = new URL(postgres.url.replace('127.0.0.1', 'localhost'));
  url.searchParams.set('sslmode', 'verify-full');
  url.searchParams.set('sslrootcert', file);
  const database = openDatabase(url.href, { max: 1 });
  const reconnect = async () => {
    await database.db.build.execute(sql`select pg_terminate_backend(pg_backend_pid())`).catch(() => undefined);
    return database.db.build.execute(sql`select 1 as one`).catch((error: Error) => Promise.reject(error.cause));
  };
  try {
    expect(await reconnect()).toHaveLength(1);
    await writeFile(file, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
    await expect(reconnect()).rejects.toThrow(`the authorities of the database in ${file} cannot be read`);
    await serve('localhost', other);
    await copyFile(other.certificateFile, file);
    await expect.poll(reconnect, { timeout: 30_000 }).toHaveLength(1);
  } finally {
    await database.close();
  }
});

test('no statement of a server with sslmode=verify-full fails while its certificate and its authority are replaced, over new connections too', async () => {
  await serve('localhost');
  const file = join(folder, 'bundle.crt');
  // The authority that follows is announced before it signs.
  await writeFile(
    file,
    (await readFile(authority.certificateFile, 'utf8')) + (await readFile(other.certificateFile, 'utf8')),
  );
  const url = new URL(postgres.url.replace('127.0.0.1', 'localhost'));
  url.searchParams.set('sslmode', 'verify-full');
  url.searchParams.set('sslrootcert', file);
  const lasting = openDatabase(url.href, { max: 2 });
  const errors: string[] = [];
  let statements = 0;
  let isRunning = true;
  const loops = [lasting, undefined].map(async (database) => {
    while (isRunning) {
      const used = database ?? openDatabase(url.href, { max: 1 });
      await used.db.build.execute(sql`select 1`).catch((error) => errors.push(String(error.cause ?? error)));
      if (database === undefined) await used.close();
      statements += 1;
    }
  });
  const served: (string | undefined)[] = [];
  try {
    for (const [from, name] of [
      [authority, 'second'],
      [other, 'third'],
      [other, 'fourth'],
    ] as const) {
      await install(await certificate('localhost', from, name));
      expect(await probe()).toBe(0);
      const { certificateFile } = await certificate('localhost', from, name);
      const { serialNumber } = new X509Certificate(await readFile(certificateFile));
      await expect.poll(shownSerial, { timeout: 30_000 }).toBe(serialNumber);
      served.push(serialNumber);
      const since = statements;
      await expect.poll(() => statements, { timeout: 30_000 }).toBeGreaterThan(since + 20);
    }
  } finally {
    isRunning = false;
    await Promise.all(loops);
    await lasting.close();
  }
  expect([errors, new Set(served).size]).toEqual([[], 3]);
});

/** The serial number of the certificate that the server shows to new connections. */
async function shownSerial(): Promise<string | undefined> {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.write(Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]));
  await once(socket, 'data');
  const secured = connectTls({ socket, rejectUnauthorized: false });
  await once(secured, 'secureConnect');
  const serial = secured.getPeerX509Certificate()?.serialNumber;
  secured.destroy();
  return serial;
}

test('a server with sslmode=verify-full that has no TLS is not used, and one that is down leaves the process alive', async () => {
  const plain = openDatabase(
    `${inject('postgres').adminUrl}?sslmode=verify-full&sslrootcert=${authority.certificateFile}`,
  );
  try {
    await expect(plain.db.build.execute(sql`select 1`)).rejects.toMatchObject({
      cause: { code: 'TLS_FAILED', message: expect.stringMatching(/: the server does not offer TLS$/) },
    });
  } finally {
    await plain.close();
  }
  const { free = 0 } = await allocatePorts([{ name: 'free' }], { stateDir: join(folder, 'ca') });
  const down = openDatabase(`postgres://u:p@127.0.0.1:${free}/z?sslmode=verify-full`);
  try {
    await expect(down.db.build.execute(sql`select 1`)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
  } finally {
    await down.close();
  }
});

test('a server with sslmode=verify-full needs a file with certificates', () => {
  const open = (file: string) => () => openDatabase(`${postgres.url}?sslmode=verify-full&sslrootcert=${file}`);
  expect(open('/nowhere/ca.crt')).toThrow('the authorities of the database in /nowhere/ca.crt cannot be read: ENOENT');
  expect(open(authority.keyFile)).toThrow(/cannot be read: it contains no certificate in PEM/);
});

test('the readiness probe of the built-in Postgres fails while it recovers, or is stopped, and reads a new certificate once', async () => {
  const fake = join(folder, 'fake');
  await mkdir(fake);
  expect(await probe(fake)).toBe(1);
  const running = await readFile(join(dataFolder, 'postmaster.pid'), 'utf8');
  await writeFile(join(fake, 'postmaster.pid'), running.replace(/ready *\n$/, 'starting\n'));
  expect(await probe(fake)).toBe(1);
  await writeFile(join(fake, 'postmaster.pid'), running.trimEnd());
  expect(await probe(fake)).toBe(0);
  const marker = await stat(join(folder, 'certificate-read'));
  expect(await probe()).toBe(0);
  expect((await stat(join(folder, 'certificate-read'))).mtimeMs).toBe(marker.mtimeMs);
});
