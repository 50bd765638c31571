// The contents of the Secrets that the bootstrap writes, as a function of their current contents.
import { expect, it } from 'vitest';
import { databaseTexts, holds, keyPlan } from '#cli/jobs/credentials.ts';
import { bootstrapOptions } from '#cli/jobs/options.ts';

let drawn = 0;
const random = (bytes: number) => Buffer.alloc(bytes, ++drawn);
const place = { mode: 'builtin', host: 'db:5432', database: 'zonestead' } as const;
const found = (texts: Record<string, string>, annotations = {}) => ({ texts, annotations, resourceVersion: '1' });

it('generates each password once, and keeps it', () => {
  const first = databaseTexts(place, {}, {}, random);
  expect(new Set([first['postgres-password'], first['service-password'], first.password]).size).toBe(3);
  expect(first.uri).toBe(`postgres://zonestead:${first['service-password']}@db:5432/zonestead`);
  expect(first['nameserver-uri']).toBe(`postgres://pdns:${first.password}@db:5432/zonestead`);
  expect(databaseTexts(place, first, {}, random)).toEqual(first);
});

it('changes the host of the addresses without a new password', () => {
  const first = databaseTexts(place, {}, {}, random);
  const moved = databaseTexts({ ...place, host: 'moved:5433' }, first, {}, random);
  expect(moved.password).toBe(first.password);
  for (const key of ['uri', 'nameserver-uri']) expect(new URL(moved[key] ?? '').host).toBe('moved:5433');
  expect(holds(found(first), moved)).toBe(false);
  expect(holds(found(moved), moved)).toBe(true);
});

it('uses given passwords with any characters', () => {
  const given = { 'service-password': 'a/b@c:d', password: 'p', 'postgres-password': 'q' };
  const texts = databaseTexts(place, { 'service-password': 'old' }, given, random);
  expect(decodeURIComponent(new URL(texts.uri ?? '').password)).toBe('a/b@c:d');
});

it('leaves the login of the owner to CloudNativePG, and writes the role pdns in its form', () => {
  const texts = databaseTexts({ ...place, mode: 'cnpg' }, {}, {}, random);
  expect(Object.keys(texts).sort()).toEqual(['nameserver-uri', 'password', 'username']);
  expect(texts.username).toBe('pdns');
});

it('keeps the key of the operator until --rotation has a new value', () => {
  expect(keyPlan(undefined, '', random).text).toMatch(/^yk_[0-9a-f]{12}_[0-9a-f]{64}$/);
  expect(keyPlan(found({ apiKey: 'yk_a' }), '', random)).toEqual({ text: 'yk_a' });
  const kept = found({ apiKey: 'yk_a' }, { 'zonestead.dev/rotation': 'one' });
  expect(keyPlan(kept, 'one', random)).toEqual({ text: 'yk_a' });
  // An empty --rotation does not request a new key.
  expect(keyPlan(kept, '', random)).toEqual({ text: 'yk_a' });
  const key = `yk_abc123_${'0'.repeat(64)}`;
  const before = found({ apiKey: key }, { 'zonestead.dev/rotation': 'one' });
  expect(keyPlan(before, 'two', random)).toMatchObject({ replaced: 'abc123' });
  // If a run ended after it wrote the Secret, the next run still revokes the old key.
  const halfway = found({ apiKey: 'yk_new' }, { 'zonestead.dev/rotation': 'two', 'zonestead.dev/replaced': 'abc123' });
  expect(keyPlan(halfway, 'two', random)).toEqual({ text: 'yk_new', replaced: 'abc123' });
  expect(keyPlan(found({ other: 'x' }), '', random).replaced).toBeUndefined();
});

it('names the option that is missing or wrong', () => {
  const all = { databaseName: 'z', urlKey: 'uri', team: 't', rotation: '', labels: '', timeout: '5' };
  expect(() => bootstrapOptions({ ...all, database: 'mysql' })).toThrow('--database must be builtin, external or cnpg');
  expect(() => bootstrapOptions({ ...all, database: 'external' })).toThrow(
    '--url-secret is needed with --database external',
  );
  expect(() => bootstrapOptions({ ...all, database: 'builtin' })).toThrow('--database-secret is needed');
  expect(() => bootstrapOptions({ ...all, database: 'external', urlSecret: 'Not A Name' })).toThrow(
    '--url-secret must be',
  );
  const labelled = bootstrapOptions({ ...all, database: 'external', urlSecret: 's', labels: 'a=b,c=' });
  expect(labelled.labels).toEqual({ a: 'b', c: '' });
});
