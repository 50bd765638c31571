// Forms without a service: the field at which each error is shown, the key that the form of an app key describes, the
// address after signing in.
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { grantRows, readKeyTerms, typedOfKey, typedOfNewKey } from '#console/apps/form.ts';
import { buildSnippets } from '#console/apps/snippets.ts';
import { attemptForm, judge, list, textField, toFormErrors } from '#console/shell/forms.ts';
import { toProvidedPerson } from '#console/shell/provider.ts';
import { ownAddress } from '#console/shell/sign-in.ts';
import { keyBody } from '#contract/app-key.ts';
import { type Refusal, refusal } from '#service/refusal.ts';

const fields = ['name', 'onlyNames', 'email'];
const at = (field: string, problem: string) => toFormErrors(refusal('invalid-value', { problem }, { field }), fields);

test('a refusal on a form is shown at the field that it names, in a list too', () => {
  expect(at('name', 'must be shorter.')).toEqual({ name: 'Must be shorter.' });
  expect(at('onlyNames.2', '"x y" is not a pattern: use letters.')).toEqual({
    onlyNames: '"x y" is not a pattern: use letters.',
  });
});

test('a refusal on a form begins with a capital letter, unless it begins with a name', () => {
  expect(toFormErrors(refusal('zone-exists', { name: 'shop.example' }), ['zoneName'])).toEqual({
    zoneName: 'shop.example exists already.',
  });
  const problem = 'www has an A record.';
  expect(toFormErrors(refusal('cname-alone', { problem }, { field: 'type' }), ['type'])).toEqual({ type: problem });
  expect(toFormErrors(refusal('team-name-taken', { name: 'x' }), ['name']).name).toMatch(/^The name x is taken/);
});

test('a refusal on a form is shown above the form if it names none of its fields, for any form of its sentence', () => {
  expect(toFormErrors(refusal('no-team'), fields)).toEqual({ '': 'No such team, or you are not a member of it.' });
  expect(at('zone', 'is gone.')).toEqual({ '': 'zone: is gone.' });
  const problem = 'name: is odd.';
  expect(toFormErrors(refusal('duplicate', { problem }), fields)).toEqual({ '': problem });
});

test('a refusal on a form with a wait is answered with Retry-After, as by the API', async () => {
  const app = Fastify().get('/', async (_request, reply) =>
    attemptForm(
      reply,
      [],
      async () => Promise.reject(refusal('zone-busy', {}, { retryAfterMs: 1_001 })),
      async (errors) => reply.send(errors),
    ),
  );
  const answer = await app.inject('/');
  expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '2']);
  expect(answer.json()).toEqual({
    '': 'The zone is busy with another change. Nothing was written; try again in a moment.',
  });
});

test('a refusal on a form by a schema shows all fields at once, with the first error of each', () => {
  try {
    judge(keyBody, { name: '', records: 'all', onlyTypes: ['X', 'Y'] });
    expect.unreachable();
  } catch (error) {
    const errors = toFormErrors(error as Refusal, ['name', 'records', 'onlyTypes']);
    expect(Object.keys(errors).sort()).toEqual(['name', 'onlyTypes', 'records']);
    expect(errors.records).toBe('Must be one of none, read, write.');
  }
});

test('a form trims texts, and splits lists by line, comma and repetition', () => {
  expect(textField({ a: '  x ' }, 'a')).toBe('x');
  expect(textField({}, 'a')).toBe('');
  expect(textField({ a: ['1', '2'] }, 'a')).toBe('2');
  expect(list({ a: 'x\r\ny, z,,\n' }, 'a')).toEqual(['x', 'y', 'z']);
  expect(list({ a: ['A', 'TXT'] }, 'a')).toEqual(['A', 'TXT']);
  expect(list({}, 'a')).toEqual([]);
});

const key = {
  id: 'k',
  name: 'ci',
  records: 'read',
  manageZones: 'none',
  grants: [{ zoneId: 'zone_1', records: 'write' }],
  onlyNames: ['www', '*.app'],
  onlyTypes: ['A'],
  networks: ['192.0.2.0/24'],
  zoneWrites: null,
  recordWrites: 7,
  expiresAt: '2030-01-02T03:04:00.000Z',
  createdAt: '2026-01-01T00:00:00.000Z',
  revokedAt: null,
  lastUsedAt: null,
} as const;
const zones = [{ id: 'zone_1', zoneName: 'red.example' }];
const idOf = (name: string) => (name === 'red.example' ? 'zone_1' : null);

test('the form of an app key changes nothing if it is sent back as it was shown', () => {
  const { name, records, manageZones, grants, onlyNames, onlyTypes, networks, zoneWrites, recordWrites } = key;
  const clusters = 'write';
  const signals = ['web', 'shop-*'];
  const same = {
    name,
    records,
    manageZones,
    clusters,
    signals,
    grants,
    onlyNames,
    onlyTypes,
    networks,
    zoneWrites,
    recordWrites,
  };
  const shown = typedOfKey({ ...key, ...same } as never, zones);
  expect(readKeyTerms(shown, idOf)).toEqual({ ...same, expiresAt: '2030-01-02T03:04:00Z' });
});

test('the form of an app key asks for no permission and no restriction if it is empty, which the API accepts', () => {
  const terms = readKeyTerms({ name: 'x', records: 'none', manageZones: 'none' }, idOf);
  expect(judge(keyBody, terms)).toEqual({
    name: 'x',
    records: 'none',
    manageZones: 'none',
    clusters: 'none',
    signals: [],
    grants: [],
    onlyNames: null,
    onlyTypes: null,
    networks: null,
    expiresAt: null,
    zoneWrites: null,
    recordWrites: null,
  });
});

test('the form of an app key passes on an unknown zone for the API to refuse, and always has empty rows', () => {
  const typed = { grantZone: ['Other.example', '', 'red.example'], grantLevel: ['read', 'none', 'write'] };
  expect(readKeyTerms(typed, idOf).grants).toEqual([
    { zoneId: 'other.example', records: 'read' },
    { zoneId: 'zone_1', records: 'write' },
  ]);
  expect(grantRows(typed).map(({ zone }) => zone)).toEqual(['other.example', 'red.example', '', '']);
});

test('the form of an app key for certificates presets the permissions that an ACME client needs, and no others', () => {
  const terms = judge(keyBody, readKeyTerms(typedOfNewKey('certificates'), idOf));
  expect(terms).toMatchObject({
    records: 'write',
    manageZones: 'none',
    onlyNames: ['_acme-challenge', '_acme-challenge.*'],
    onlyTypes: ['TXT'],
  });
});

const snippets = (name: string) => buildSnippets('yk_1_2', 'https://dns.example.net', name);

test('the snippets of a new key contain address and secret, ready to be pasted', () => {
  const [curl, certbot, secret] = snippets('CI / build #1');
  expect(curl?.text).toBe("curl -H 'Authorization: Bearer yk_1_2' https://dns.example.net/v1/dns/zones");
  expect(certbot?.text).toContain('ZONESTEAD_URL=https://dns.example.net\nZONESTEAD_API_KEY=yk_1_2\n');
  expect(secret?.text).toContain('name: zonestead-ci-build-1\n');
  expect(secret?.text).toContain('apiKey: yk_1_2');
});

test('the snippets of a new key give the Secret a name that Kubernetes accepts, for any name of the key', () => {
  for (const name of ['---', 'Ä', 'x'.repeat(64), '.'.repeat(9), `a${'-'.repeat(60)}b`]) {
    const label = /name: (.+)/.exec(snippets(name)[2]?.text ?? '')?.[1] ?? '';
    expect(label).toMatch(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/);
  }
});

test('the address after signing in stays within the console', () => {
  for (const to of ['/console/', '/console/zones?name=a.example', '/console/teams/team_1/apps'])
    expect(ownAddress(to)).toBe(to);
  for (const to of [
    undefined,
    '',
    '/',
    '//x',
    '/console',
    '/consolex/',
    '/console//x',
    'https://x/console/',
    '/console/\\x',
    '/console/\nx',
  ]) {
    expect(ownAddress(to)).toBe('/console/');
  }
});

const of = (claims: Record<string, unknown>, groups = 'groups') =>
  toProvidedPerson([claims], 'https://idp', 's', groups);

test('the claims of a provider become a person; a claim of an unexpected form is ignored', () => {
  expect(of({ email: 'a@b.c', email_verified: true, name: 'A', groups: ['x', 1, 'y'] })).toEqual({
    issuer: 'https://idp',
    subject: 's',
    email: 'a@b.c',
    emailVerified: true,
    name: 'A',
    groups: ['x', 'y'],
  });
  expect(of({ email: 5, email_verified: 'true', name: '', preferred_username: 'p', groups: 'one' })).toMatchObject({
    email: null,
    emailVerified: null,
    name: 'p',
    groups: ['one'],
  });
  expect(of({ roles: ['r'] }, 'roles').groups).toEqual(['r']);
  expect(of({}).groups).toEqual([]);
});

test.each([
  [true, true],
  ['true', true],
  [undefined, null],
  [false, false],
  ['false', false],
  [null, false],
  [1, false],
  ['yes', false],
])('the claims of a provider say with email_verified %j that the address is verified: %j', (claim, verified) => {
  const claims = { email: 'a@b.c', ...(claim === undefined ? {} : { email_verified: claim }) };
  expect(of(claims).emailVerified).toBe(verified);
});

test('the claims of a provider take address and verification from one document', () => {
  const both = (token: object, info: object) => {
    const { email, emailVerified } = toProvidedPerson([{ ...token }, { ...info }], 'https://idp', 's', 'groups');
    return [email, emailVerified];
  };
  expect(both({ email: 'a@b.c' }, { email: 'x@y.z', email_verified: true })).toEqual(['a@b.c', null]);
  expect(both({ email_verified: true }, { email: 'x@y.z' })).toEqual(['x@y.z', null]);
  expect(both({}, { email: 'x@y.z', email_verified: true })).toEqual(['x@y.z', true]);
});
