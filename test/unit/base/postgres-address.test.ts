import { describe, expect, it } from 'vitest';
import { parsePostgresAddress } from '#base/postgres-address.ts';

const hosts = (text: string) => {
  const parsed = parsePostgresAddress(text);
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.value.hosts.map(({ host, port }) => `${host} ${port}`);
};
const problem = (text: string) => {
  const parsed = parsePostgresAddress(text);
  return parsed.ok ? null : parsed.problem;
};

describe('an address of Postgres', () => {
  it('names one server or several, and 5432 is the default port', () => {
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

  it('keeps login, database and options for the driver, with the first server alone', () => {
    const parsed = parsePostgresAddress('postgres://u:p%40,x@a:1,b:2/zones?sslmode=require');
    expect(parsed).toMatchObject({ ok: true, value: { url: 'postgres://u:p%40,x@a:1/zones?sslmode=require' } });
  });

  it('is refused with its problem and the accepted form', () => {
    expect(problem('mysql://a/b')).toMatch(
      /^must be postgres:\/\/user:password@host:port\/database; several servers are/,
    );
    expect(problem('postgres://u:p@a:1,,b:2/z')).toMatch(/has no host at one place: several servers are written/);
    expect(problem('postgres://u:p@/z')).toMatch(/has no host/);
    expect(problem('postgres://u:p@a:70000,b/z')).toBe('has port 70000 for a: a port is a number from 1 to 65535');
    expect(problem('postgres://u:p@a,b,a:5432/z')).toBe('names a:5432 twice: name each server once');
    expect(problem('postgres://u:p@2001:db8::1/z')).toMatch(/\[address\]:port for IPv6/);
    expect(problem('postgres://u:p@a,b/z?target_session_attrs=any')).toMatch(/write read-write, or leave it out/);
    expect(problem(`postgres://u:p@${Array.from({ length: 17 }, (_, i) => `h${i}`).join(',')}/z`)).toMatch(
      /at most 16/,
    );
    expect(problem('postgres://u:p@a,b/z?target_session_attrs=primary')).toBeNull();
  });

  it('never shows its password in a message', () => {
    const wrong = [
      'postgres://u:hunter2@a:0/z',
      'postgres://u:hun/ter2@a/z',
      'postgre://u:hunter2@a',
      'postgres://u:hunter2@ /z',
    ];
    for (const text of wrong) expect(problem(text)).not.toMatch(/hun/);
  });
});
