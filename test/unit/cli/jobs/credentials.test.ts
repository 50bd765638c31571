// The contents of the Secrets that the bootstrap writes, as a function of their current contents.
import { describe, expect, test } from 'vitest';
import { databaseTexts, holds, type KeyKind, keyPlan, NODE_KEY } from '#cli/jobs/credentials.ts';
import { bootstrapOptions } from '#cli/jobs/options.ts';
import type { Secret } from '#kube/objects/secrets.ts';

let drawn = 0;
const random = (bytes: number) => Buffer.alloc(bytes, ++drawn);
const place = { host: 'db:5432', database: 'zonestead' };
const found = (texts: Record<string, string>, annotations = {}) => ({ texts, annotations, resourceVersion: '1' });

test('the bootstrap generates each password once, and keeps it', () => {
  const first = databaseTexts(place, {}, {}, random);
  expect(Object.keys(first).sort()).toEqual(['postgres-password', 'service-password', 'uri']);
  expect(first['postgres-password']).not.toBe(first['service-password']);
  expect(first.uri).toBe(`postgres://zonestead:${first['service-password']}@db:5432/zonestead`);
  expect(databaseTexts(place, first, {}, random)).toEqual(first);
});

test('the bootstrap changes the host of the addresses without a new password', () => {
  const first = databaseTexts(place, {}, {}, random);
  const moved = databaseTexts({ ...place, host: 'moved:5433' }, first, {}, random);
  expect(moved['service-password']).toBe(first['service-password']);
  expect(new URL(moved.uri ?? '').host).toBe('moved:5433');
  expect(holds(found(first), moved)).toBe(false);
  expect(holds(found(moved), moved)).toBe(true);
});

test('the bootstrap uses given passwords with any characters', () => {
  const given = { 'service-password': 'a/b@c:d', 'postgres-password': 'q' };
  const texts = databaseTexts(place, { 'service-password': 'old' }, given, random);
  expect(decodeURIComponent(new URL(texts.uri ?? '').password)).toBe('a/b@c:d');
});

describe.each<[string, KeyKind, string]>([['the name servers', NODE_KEY, 'yn_']])(
  'the key of %s',
  (title, kind, prefix) => {
    const secret = (text: string, annotations = {}) => found({ [kind.field]: text }, annotations);
    const plan = (given: Secret | undefined, rotation: string, unusable?: string) =>
      keyPlan(kind, given, rotation, random, unusable);
    const key = `${prefix}abc123_${'0'.repeat(64)}`;
    const first = { 'zonestead.dev/rotation': 'one' };

    test(`the key of ${title} is made once, and kept until --rotation has a new value`, () => {
      expect(plan(undefined, '').text).toMatch(new RegExp(`^${prefix}[0-9a-f]{12}_[0-9a-f]{64}$`));
      expect(plan(found({ other: 'x' }), '')).toEqual({ text: expect.stringContaining(prefix), replaced: [] });
      expect(plan(secret(key), '')).toEqual({ text: key, replaced: [] });
      expect(plan(secret(key, first), 'one')).toEqual({ text: key, replaced: [] });
      // An empty --rotation does not request a new key.
      expect(plan(secret(key, first), '')).toEqual({ text: key, replaced: [] });
      const next = plan(secret(key, first), 'two');
      expect(next).toEqual({ text: expect.stringContaining(prefix), replaced: ['abc123'] });
      expect(next.text).not.toBe(key);
    });

    test(`the key of ${title} has the keys that it replaced in the next run too, also if several runs ended after they wrote the Secret`, () => {
      const halfway = { 'zonestead.dev/rotation': 'two', 'zonestead.dev/replaced': 'one1' };
      expect(plan(secret(key, halfway), 'two')).toEqual({ text: key, replaced: ['one1'] });
      expect(plan(secret(key, halfway), 'three').replaced).toEqual(['one1', 'abc123']);
      const many = { 'zonestead.dev/replaced': 'a,b,c,d,e,f,g,h' };
      expect(plan(secret(key, many), 'three').replaced).toEqual(['b', 'c', 'd', 'e', 'f', 'g', 'h', 'abc123']);
    });

    test(`the key of ${title} is replaced if it is unusable, unless another process has replaced it`, () => {
      expect(plan(secret(key), '', key).text).not.toBe(key);
      expect(plan(secret(key), '', 'another').text).toBe(key);
    });
  },
);

test('the bootstrap names the option that is missing or wrong', () => {
  const all = { databaseName: 'z', urlKey: 'uri', team: 't', rotation: '', labels: '', timeout: '5' };
  expect(() => bootstrapOptions({ ...all, database: 'mysql' })).toThrow('--database must be builtin, external or cnpg');
  expect(() => bootstrapOptions({ ...all, database: 'external' })).toThrow(
    '--url-secret is needed with --database external',
  );
  expect(() => bootstrapOptions({ ...all, database: 'builtin' })).toThrow('--database-secret is needed');
  expect(() => bootstrapOptions({ ...all, database: 'external', urlSecret: 'Not A Name' })).toThrow(
    '--url-secret must be',
  );
  const builtin = { ...all, database: 'builtin', databaseSecret: 'x', databaseHost: 'db' };
  expect(() => bootstrapOptions({ ...builtin, databaseCertificate: 'tls' })).toThrow(
    '--database-certificate tls needs --certificate tls=<hosts>',
  );
  expect(() => bootstrapOptions({ ...builtin, certificate: ['tls'] })).toThrow(
    'must be the name of a Secret, = and comma-separated host names and addresses',
  );
  const { certificates } = bootstrapOptions({ ...builtin, certificate: ['tls=a.b,::1'], databaseCertificate: 'tls' });
  expect(certificates).toEqual([{ secret: 'tls', hosts: ['a.b', '::1'] }]);
  // The Secret of CloudNativePG has the login.
  const cnpg = bootstrapOptions({ ...all, database: 'cnpg', databaseSecret: 'x', databaseHost: 'db', urlSecret: 's' });
  expect([cnpg.place, cnpg.urlSecret]).toEqual([undefined, 's']);
  const labelled = bootstrapOptions({ ...all, database: 'external', urlSecret: 's', labels: 'a=b,c=' });
  expect(labelled.labels).toEqual({ a: 'b', c: '' });
});
