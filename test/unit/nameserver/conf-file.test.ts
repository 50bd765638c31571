// pdns.conf from the nameserver's settings.
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { databaseOf, renewConf, writeConf } from '#nameserver/companion/conf-file.ts';

const CONFIG = {
  ZONESTEAD_NAMESERVER_DATABASE_URL: 'postgres://pdns:s3cret@db.example:5433/zones?sslmode=verify-full',
  ZONESTEAD_PDNS_LISTEN: '0.0.0.0,::',
  ZONESTEAD_PDNS_PORT: 5353,
  ZONESTEAD_PDNS_THREADS: 3,
  ZONESTEAD_PDNS_DATABASE_CA: '/etc/ca.crt',
};

it('The database address is split into the parts that libpq needs', () => {
  expect(databaseOf('postgres://pdns:p%2Fq@[2001:db8::1]/zones', undefined)).toEqual({
    host: '2001:db8::1',
    port: 5432,
    name: 'zones',
    user: 'pdns',
    password: 'p/q',
  });
  expect(databaseOf(CONFIG.ZONESTEAD_NAMESERVER_DATABASE_URL, '/ca')).toMatchObject({
    port: 5433,
    tls: { mode: 'verify-full', authorityFile: '/ca' },
  });
});

it('A part that PowerDNS would pass to libpq in pieces is refused, and the error does not contain it', () => {
  for (const password of ['a b', "a'b", 'a"b', 'a\\b', 'a#b', 'a\nb', '']) {
    const address = `postgres://pdns:${encodeURIComponent(password)}@db/zones`;
    expect(() => databaseOf(address, undefined), password).toThrow(
      /^The password in the nameserver's database address/,
    );
  }
  expect(() => databaseOf('postgres://pdns:x@db/zones?sslmode=maybe', undefined)).toThrow('sslmode=maybe');
});

it('The file is readable for its owner only, and the result says whether it changed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'zonestead-conf-'));
  try {
    const file = join(folder, 'pdns.conf');
    expect(await writeConf(CONFIG, file, folder)).toBe(true);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const lines = (await readFile(file, 'utf8')).split('\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        'gpgsql-host=db.example',
        'gpgsql-password=s3cret',
        'local-address=0.0.0.0,::',
        'local-port=5353',
        'receiver-threads=3',
        `socket-dir=${folder}`,
      ]),
    );
    expect(lines.find((line) => line.startsWith('gpgsql-extra'))).toContain(
      'sslmode=verify-full sslrootcert=/etc/ca.crt ',
    );
    expect(await writeConf(CONFIG, file, folder)).toBe(false);
    // No PowerDNS runs in this test; it would read the new file when it starts.
    const moved = { ...CONFIG, ZONESTEAD_NAMESERVER_DATABASE_URL: 'postgres://pdns:new@db/zones' };
    await renewConf(moved, file, join(folder, 'pdns.controlsocket'));
    expect(await readFile(file, 'utf8')).toContain('gpgsql-password=new');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
