import { describe, expect, it } from 'vitest';
import { judgeWrite, MAX_LINKS, nextNeeded } from '../../../src/dns/rrset.ts';
import type { RecordType } from '../../../src/dns/types/index.ts';
import { problemOf, record, surroundings, ZONE } from './build.ts';

/** Judges an alias over a zone's links, loading them one by one as the caller does; counts what was loaded. */
function judge(name: string, target: string, links: Record<string, string>, type: RecordType = 'CNAME') {
  const parsed = record({ name, type, content: target });
  const known = new Map<string, string | null>();
  for (let need = nextNeeded(parsed, ZONE, known); need !== null; need = nextNeeded(parsed, ZONE, known)) {
    expect(known.has(need)).toBe(false);
    known.set(need, links[need] ?? null);
  }
  const inZoneCname = (fqdn: string): string | null => {
    if (!known.has(fqdn)) throw new Error(`${fqdn} was not asked for`);
    return known.get(fqdn) ?? null;
  };
  return { verdict: judgeWrite(parsed, surroundings({ inZoneCname })), loaded: known.size };
}

describe('an alias chain', () => {
  it('that ends in an ordinary name of the zone is fine', () => {
    expect(judge('a', 'b.example.com', { 'b.example.com': 'c.example.com' })).toMatchObject({
      verdict: { ok: true },
      loaded: 2,
    });
  });

  it('that leaves the zone costs no lookup outside of it', () => {
    expect(judge('a', 'host.example.net', {})).toMatchObject({ verdict: { ok: true }, loaded: 0 });
    expect(judge('a', 'notexample.com', {})).toMatchObject({ loaded: 0 });
    expect(judge('a', 'b.example.com', { 'b.example.com': 'x.example.net' })).toMatchObject({ loaded: 1 });
  });

  it.each<RecordType>(['CNAME', 'ALIAS'])('of %s that comes back is a conflict and shows its path', (type) => {
    const links = { 'b.example.com': 'c.example.com', 'c.example.com': 'a.example.com' };
    const found = problemOf(judge('a', 'b.example.com', links, type).verdict);
    expect(found).toMatchObject({ code: 'conflict', field: 'content' });
    expect(found.message).toContain('a.example.com → b.example.com → c.example.com → a.example.com');
  });

  it('from the apex by ALIAS and back is a conflict', () => {
    expect(judge('@', 'www.example.com', { 'www.example.com': 'example.com' }, 'ALIAS').verdict.ok).toBe(false);
  });

  it('that runs into a loop of others is a conflict and ends', () => {
    const links = { 'b.example.com': 'c.example.com', 'c.example.com': 'b.example.com' };
    expect(problemOf(judge('a', 'b.example.com', links).verdict).code).toBe('conflict');
  });

  it(`of more than ${MAX_LINKS} links is a conflict, however long it is`, () => {
    const links = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, index) => [`n${index}.example.com`, `n${index + 1}.example.com`]),
    );
    const long = judge('a', 'n0.example.com', links);
    expect(problemOf(long.verdict).code).toBe('conflict');
    expect(long.loaded).toBe(MAX_LINKS);
    expect(judge('a', `n${1_000 - MAX_LINKS + 1}.example.com`, links).verdict.ok).toBe(true);
  });

  it('does not concern other types', () => {
    expect(judge('a', 'b.example.com', { 'b.example.com': 'a.example.com' }, 'NS')).toMatchObject({
      verdict: { ok: true },
      loaded: 0,
    });
  });
});
