import { expect, test } from 'vitest';
import { parsePostgresAddress, protectPostgresAddress } from '#base/postgres-address.ts';

const hosts = (text: string) => {
  const parsed = parsePostgresAddress(text);
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.value.hosts.map(({ host, port }) => `${host} ${port}`);
};
const problem = (text: string) => {
  const parsed = parsePostgresAddress(text);
  return parsed.ok ? null : parsed.problem;
};

test('an address of Postgres names one server or several, and 5432 is the default port', () => {
  expect(hosts('postgres://u:p@db.example.net/zones')).toEqual(['db.example.net 5432']);
  expect(hosts('postgresql://u:p@a:5433,b,10.0.0.3:6000/zones?target_session_attrs=read-write')).toEqual([
    'a 5433',
    'b 5432',
    '10.0.0.3 6000',
  ]);
  expect(hosts('postgres://u:p@[2001:db8::1]:5433,[2001:db8::2]/zones')).toEqual([
    '2001:db8::1 5433',
    '2001:db8::2 5432',
  ]);
});

test('an address of Postgres keeps login, database and options for the driver, with the first server alone', () => {
  const parsed = parsePostgresAddress('postgres://u:p%40,x@a:1,b:2/zones?sslmode=require&prepare=false');
  expect(parsed).toMatchObject({
    ok: true,
    value: { url: 'postgres://u:p%40,x@a:1/zones?prepare=false', tls: { mode: 'require' } },
  });
});

test('an address of Postgres is refused with its problem and the accepted form', () => {
  expect(problem('mysql://a/b')).toMatch(
    /^must be postgres:\/\/user:password@host:port\/database; several servers are/,
  );
  expect(problem('postgres://u:p@a:1,,b:2/z')).toMatch(/has no host at one place: several servers are written/);
  expect(problem('postgres://u:p@/z')).toMatch(/has no host/);
  expect(problem('postgres://u:p@a:70000,b/z')).toBe('has port 70000 for a: a port is a number from 1 to 65535');
  expect(problem('postgres://u:p@a,b,a:5432/z')).toBe('names a:5432 twice: name each server once');
  expect(problem('postgres://u:p@2001:db8::1/z')).toMatch(/\[address\]:port for IPv6/);
  expect(problem('postgres://u:p@a,b/z?target_session_attrs=any')).toMatch(/write read-write, or leave it out/);
  expect(problem(`postgres://u:p@${Array.from({ length: 17 }, (_, i) => `h${i}`).join(',')}/z`)).toMatch(/at most 16/);
  expect(problem('postgres://u:p@a,b/z?target_session_attrs=primary')).toBeNull();
});

test('an address of Postgres never shows its password in a message', () => {
  const wrong = [
    'postgres://u:hunter2@a:0/z',
    'postgres://u:hun/ter2@a/z',
    'postgre://u:hunter2@a',
    'postgres://u:hunter2@ /z',
  ];
  for (const text of wrong) expect(problem(text)).not.toMatch(/hun/);
});

const tls = (options: string) => {
  const parsed = parsePostgresAddress(`postgres://u:p@a/z${options}`);
  return parsed.ok ? parsed.value.tls : parsed.problem;
};

test('TLS in an address of Postgres is off by default, and verify-full takes the file of the authorities', () => {
  expect(tls('')).toEqual({ mode: 'disable' });
  expect(tls('?sslmode=prefer')).toEqual({ mode: 'prefer' });
  expect(tls('?sslmode=verify-full')).toEqual({ mode: 'verify-full', authorities: null });
  expect(tls('?sslmode=verify-full&sslrootcert=system')).toEqual({ mode: 'verify-full', authorities: null });
  expect(tls('?sslmode=verify-full&sslrootcert=%2Fa%2Fca.crt')).toEqual({
    mode: 'verify-full',
    authorities: '/a/ca.crt',
  });
});

test('TLS in an address of Postgres has no option without an effect', () => {
  expect(tls('?sslmode=verify-ca')).toBe('has sslmode=verify-ca: write disable, prefer, require, verify-full');
  expect(tls('?sslmode=require&sslrootcert=/a')).toBe(
    'has sslrootcert with sslmode=require, which verifies nothing: write sslmode=verify-full',
  );
  expect(tls('?ssl=true')).toMatch(/^has ssl, which has no effect/);
  expect(tls('?sslmode=verify-full&sslcert=a')).toMatch(/^has sslcert, which has no effect/);
});

const refused = { authorities: undefined, isUnverifiedAllowed: false };
const judge = (host: string, options = '', protection: object = {}) => {
  const judged = protectPostgresAddress(`postgres://u:hunter2@${host}/z${options}`, { ...refused, ...protection });
  return judged.ok ? judged.value.replace(`postgres://u:hunter2@${host}/z`, '') : judged.problem;
};

test('a connection to the database to another machine is refused without a verified server, also if one of several hosts is another machine', () => {
  for (const host of [
    'db.example.net',
    '10.0.0.7',
    '[2001:db8::1]',
    'localhost,db.example.net',
    '0.0.0.0',
    '127.evil.example',
  ])
    for (const options of ['', '?sslmode=disable', '?sslmode=prefer', '?sslmode=require'])
      expect(judge(host, options)).toMatch(/which does not verify the server: add sslmode=verify-full, and name/);
  expect(judge('a', '')).toMatch(/^has sslmode=disable, the default, for a:5432,/);
  expect(judge('a', '')).not.toContain('hunter2');
  expect(judge('a', '?sslmode=verify-full')).toBe('?sslmode=verify-full');
  expect(judge('a', '?sslmode=require', { isUnverifiedAllowed: true })).toBe('?sslmode=require');
});

test('a connection to the database to the own machine needs no TLS', () => {
  for (const host of ['localhost', '127.0.0.1', '127.1.2.3:5433', '[::1]', '127.0.0.1:1,127.0.0.1:2'])
    expect(judge(host)).toBe('');
});

test('a connection to the database is verified by the named authorities, whose file adds verify-full', () => {
  const named = { authorities: '/etc/zonestead/a b&c.crt' };
  expect(judge('a', '', named)).toBe(
    `?sslrootcert=${encodeURIComponent('/etc/zonestead/a b&c.crt')}&sslmode=verify-full`,
  );
  expect(judge('a', '?prepare=false', named)).toMatch(/^\?prepare=false&sslrootcert=.*&sslmode=verify-full$/);
  expect(judge('a', '?sslmode=verify-full', named)).toMatch(/^\?sslmode=verify-full&sslrootcert=[^&]*$/);
  expect(judge('a', '?sslmode=require', { ...named, isUnverifiedAllowed: true })).toMatch(
    /has sslmode=require, which verifies nothing: write sslmode=verify-full with ZONESTEAD_DATABASE_CA/,
  );
  expect(judge('a', '?sslmode=verify-full&sslrootcert=/x', named)).toMatch(/keep one of them$/);
  const judged = protectPostgresAddress('postgres://u:p@a/z', { ...refused, ...named });
  const parsed = parsePostgresAddress(judged.ok ? judged.value : '');
  expect(parsed).toMatchObject({ ok: true, value: { tls: { mode: 'verify-full', ...named } } });
});
