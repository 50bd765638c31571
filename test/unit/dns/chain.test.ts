import { expect, test } from 'vitest';
import { judgeWrite, MAX_LINKS } from '#dns/rules/rrset.ts';
import type { RecordType } from '#dns/types/index.ts';
import { problemOf, record, surroundings } from './build.ts';

/** Judges an alias over the links of a zone, and counts the links that the rule looked up. */
function judge(name: string, target: string, links: Record<string, string>, type: RecordType = 'CNAME') {
  const parsed = record({ name, type, content: target });
  const looked: string[] = [];
  const inZoneCname = (fqdn: string): string | null => {
    looked.push(fqdn);
    return links[fqdn] ?? null;
  };
  return { verdict: judgeWrite(parsed, surroundings({ inZoneCname })), looked: looked.length };
}

test('an alias chain that ends in an ordinary name of the zone is fine', () => {
  expect(judge('a', 'b.example.com', { 'b.example.com': 'c.example.com' })).toMatchObject({
    verdict: { ok: true },
    looked: 2,
  });
});

test('an alias chain that leaves the zone costs no lookup outside of it', () => {
  expect(judge('a', 'host.example.net', {})).toMatchObject({ verdict: { ok: true }, looked: 0 });
  expect(judge('a', 'notexample.com', {})).toMatchObject({ looked: 0 });
  expect(judge('a', 'b.example.com', { 'b.example.com': 'x.example.net' })).toMatchObject({ looked: 1 });
});

test.each<RecordType>(['CNAME', 'ALIAS'])(
  'an alias chain that comes back through %s is a conflict and shows its path',
  (type) => {
    const links = { 'b.example.com': 'c.example.com', 'c.example.com': 'a.example.com' };
    const found = problemOf(judge('a', 'b.example.com', links, type).verdict);
    expect(found).toMatchObject({ code: 'conflict', field: 'content' });
    expect(found.message).toContain('a.example.com → b.example.com → c.example.com → a.example.com');
  },
);

test('an alias chain from the apex by ALIAS and back is a conflict', () => {
  expect(judge('@', 'www.example.com', { 'www.example.com': 'example.com' }, 'ALIAS').verdict.ok).toBe(false);
});

test('an alias chain that runs into a loop of others is a conflict and ends', () => {
  const links = { 'b.example.com': 'c.example.com', 'c.example.com': 'b.example.com' };
  expect(problemOf(judge('a', 'b.example.com', links).verdict).code).toBe('conflict');
});

test(`an alias chain with more than ${MAX_LINKS} links is a conflict, however long it is`, () => {
  const links = Object.fromEntries(
    Array.from({ length: 1_000 }, (_, index) => [`n${index}.example.com`, `n${index + 1}.example.com`]),
  );
  const long = judge('a', 'n0.example.com', links);
  expect(problemOf(long.verdict).code).toBe('conflict');
  expect(long.looked).toBe(MAX_LINKS);
  expect(judge('a', `n${1_000 - MAX_LINKS + 1}.example.com`, links).verdict.ok).toBe(true);
});

test('an alias chain does not concern other types', () => {
  expect(judge('a', 'b.example.com', { 'b.example.com': 'a.example.com' }, 'NS')).toMatchObject({
    verdict: { ok: true },
    looked: 0,
  });
});
