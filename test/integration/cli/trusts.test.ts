// `zonestead admin trusts …` over a database: each command, and its bad input.
// test/integration/cli/trust-pages.test.ts has the guides.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { cloneDatabase } from '../../support/postgres/database.ts';
import { zonestead } from '../../support/program/command-line.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';
import { type IssuerKey, issuerKey, seconds } from '../../support/tokens/keys.ts';

const database = await cloneDatabase();
const folder = await temporaryFolder('trusts');
const file = (name: string) => join(folder, name);
const UID = '3f0c2a52-7a70-4a51-9a43-0c7f9a1b2c3d';
const ISSUER = 'https://cluster.example';
const WEB = 'system:serviceaccount:shop:web';
let key: IssuerKey;

beforeAll(async () => {
  key = await issuerKey('one');
  await writeFile(file('jwks.json'), JSON.stringify({ keys: [key.jwk] }));
  await writeFile(file('broken.json'), '{"keys": 1}');
  await writeFile(file('private.json'), JSON.stringify({ keys: [{ ...key.jwk, d: 'AAAA' }] }));
});
beforeEach(() => {
  vi.stubEnv('DATABASE_URL', database.url);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await database.close();
});

const trusts = (...words: string[]) => zonestead('admin', 'trusts', ...words);
const named = (name: string) => ['--team', 'red', '--create-team', '--name', name];
const CLUSTER = ['--issuer', ISSUER, '--jwks-file', file('jwks.json'), '--match', 'kubernetes.io/namespace=*'];
const OWN_NAMES = ['--only-name', `*.\${namespace}`];

/** Creates a trust of the cluster. @returns its id */
async function made(name: string, ...words: string[]): Promise<string> {
  const { out, err } = await trusts('create', ...named(name), ...CLUSTER, ...OWN_NAMES, ...words);
  const [, id] = /^trust (trust_[0-9a-f]{12}) of team red: /.exec(out) ?? [];
  expect(id, err).toBeDefined();
  return id as string;
}

const shown = async (id: string) => JSON.parse((await trusts('show', id, '--output', 'json')).out);
const digest = async () =>
  (
    await database.sql`select md5(string_agg(t::text, ' ' order by id)) as trusts, (select count(*) from account_changes) as changes from trusts t`
  )[0];

/** A subject as its first request stores it. */
async function subject(trust: string, name: string, uid: string | null): Promise<void> {
  await database.sql`
    insert into api_keys (id, team_id, name, secret_hash, records, manage_zones, trust_id, subject, pinned_uid, last_used_at)
    select ${`${trust.slice(6, 11)}${name.length}`}, team_id, ${name}, decode(repeat('00', 32), 'hex'), 'none', 'none', id, ${name},
      ${uid}, '2026-01-02T03:04:00Z' from trusts where id = ${trust}`;
}

test('trusts create stores the terms that its options say', async () => {
  const id = await made(
    'west',
    ...['--audience', 'dns', '--max-token-age', '600', '--pin-subjects', 'no', '--only-type', 'A', '--records', 'read'],
    ...['--match', '{"aud2":"x"}', '--match', 'kubernetes.io/serviceaccount/name=web'],
  );
  expect(await shown(id)).toMatchObject({
    name: 'west',
    team: 'red',
    issuer: ISSUER,
    audience: 'dns',
    maxTokenAge: 600,
    pinSubjects: false,
    records: 'read',
    onlyTypes: ['A'],
    onlyNames: [`*.\${namespace}`],
    match: { aud2: 'x', 'kubernetes.io': { namespace: '*', serviceaccount: { name: 'web' } } },
    keySource: { kind: 'pinned', jwks: { keys: [expect.objectContaining({ kid: 'one' })] } },
    createdBy: null,
  });
});

test.each<[string, string[], object]>([
  ['--jwks-url', ['--jwks-url', 'http://10.0.0.1/keys', '--private-addresses'], { kind: 'jwks' }],
  ['--cluster-keys', ['--cluster-keys'], { kind: 'cluster' }],
  ['--token-review', ['--token-review'], { kind: 'token-review' }],
  ['no option', [], { kind: 'discovery' }],
])('trusts create chooses the source of the keys by %s', async (_title, words, source) => {
  const terms = ['--issuer', ISSUER, '--match', 'sub=a', ...words];
  const { out } = await trusts('create', ...named('source'), ...terms);
  const [id = ''] = /trust_[0-9a-f]{12}/.exec(out) ?? [];
  expect((await shown(id)).keySource).toMatchObject(source);
});

test.each<[string, string[], RegExp]>([
  ['two sources of keys', [...CLUSTER, '--cluster-keys'], /one of --jwks-url, --jwks-file/],
  ['a file without keys', ['--issuer', ISSUER, '--match', 'sub=a', '--jwks-file', file('broken.json')], /Key Set/],
  ['a private key', ['--issuer', ISSUER, '--match', 'sub=a', '--jwks-file', file('private.json')], /private key/],
  ['a file that is missing', ['--issuer', ISSUER, '--match', 'sub=a', '--jwks-file', file('none')], /no such file/],
  ['a device of keys', ['--issuer', ISSUER, '--match', 'sub=a', '--jwks-file', '/dev/zero'], /it is not a file/],
  ['a device of authorities', [...CLUSTER, '--ca-file', '/dev/zero'], /it is not a file/],
  ['an issuer that is not an address', ['--issuer', 'cluster', '--match', 'sub=a'], /issuer: .*https:\/\//],
  ['a claim without a value', ['--issuer', ISSUER, '--match', 'sub'], /must be a claim, "=" and a value/],
  ['a claim in broken JSON', ['--issuer', ISSUER, '--match', '{"sub":1}'], /object of texts in JSON/],
  ['a claim below a value', ['--issuer', ISSUER, '--match', 'a=1', '--match', 'a/b=1'], /a has a value already/],
  ['a claim that identifies no subject', ['--issuer', ISSUER, '--match', 'aud=x'], /identifies no subject/],
  ['a lifetime of a day', [...CLUSTER, ...OWN_NAMES, '--max-token-age', '86400'], /from 60 to 3600/],
  ['a lifetime that is not a number', [...CLUSTER, '--max-token-age', 'long'], /must be a number/],
  ['one name for every holder of a token', [...CLUSTER, '--only-name', 'www'], /every holder/],
  ['a template without its claim', [...CLUSTER, '--only-name', `*.\${repository}`], /repository/],
  ['a zone that does not exist', [...CLUSTER, ...OWN_NAMES, '--grant', 'zone_0=write'], /zone_0 does not exist/],
])('trusts create refuses %s, and stores nothing', async (_title, words, sentence) => {
  const before = await digest();
  const { code, err } = await trusts('create', ...named('bad'), ...words);
  expect(err).toMatch(sentence);
  expect(code).toBe(1);
  expect(await digest()).toEqual(before);
});

test('trusts list prints the trusts of a team, or all, with their state', async () => {
  const id = await made('listed');
  const all = await trusts('list');
  expect(all.out.split('\n')[0]).toMatch(/^ID +TEAM +NAME +ISSUER +MATCH +STATE +SUBJECTS +LAST USE$/);
  expect(all.out).toMatch(new RegExp(`^${id} +red +listed +${ISSUER} .* valid +0 +never$`, 'm'));
  await trusts('revoke', id);
  expect((await trusts('list', '--team', 'red')).out).toMatch(new RegExp(`^${id} .* revoked +0 +never$`, 'm'));
  expect((await trusts('list', '--team', 'blue')).out).not.toContain(id);
  const { trusts: listed } = JSON.parse((await trusts('list', '--output', 'json')).out);
  expect(listed.map((each: { id: string }) => each.id)).toContain(id);
});

test('trusts show prints the terms and the subjects with their last use', async () => {
  const id = await made('shown');
  await subject(id, WEB, UID);
  const { out } = await trusts('show', id);
  expect(out).toContain(`issuer: ${ISSUER}\n`);
  expect(out).toMatch(new RegExp(`^${WEB} +\\S+ +2026-01-02T03:04 +${UID}$`, 'm'));
  expect((await shown(id)).known).toMatchObject([{ subject: WEB, pinnedUid: UID }]);
});

test('trusts show names a trust that does not exist', async () => {
  for (const id of ['trust_0', '', 'a\u0000b'])
    expect((await trusts('show', id)).err).toMatch(/there is no trust .*"zonestead admin trusts list" shows the ids/);
});

test('trusts revoke says in a dry run which subjects lose their rights, and changes nothing', async () => {
  const id = await made('kept');
  await subject(id, WEB, UID);
  const before = await digest();
  expect(await trusts('revoke', id, '--dry-run')).toEqual({
    code: 0,
    err: '',
    out: `dry run: trust ${id} is revoked\ndry run: kept of team red: 1 subjects, its last use was at 2026-01-02T03:04\n`,
  });
  expect(await digest()).toEqual(before);
  expect((await shown(id)).revokedAt).toBeNull();
});

test('trusts revoke revokes once, and the history has it', async () => {
  const id = await made('ended');
  for (const _ of [1, 2]) expect((await trusts('revoke', id)).out).toBe(`trust ${id} is revoked\n`);
  const rows = await database.sql`select action from account_changes where subject = ${id} order by id`;
  expect(rows.map(({ action }) => action)).toEqual(['trust.create', 'trust.revoke']);
});

test('trusts revoke names a trust that does not exist, in a dry run too', async () => {
  for (const words of [['trust_0'], ['trust_0', '--dry-run']])
    expect((await trusts('revoke', ...words)).err).toMatch(/there is no trust trust_0/);
});

const token = (change: object = {}) =>
  key.sign({
    ...{ iss: ISSUER, sub: WEB, aud: ['tested'], iat: seconds(), exp: seconds() + 600 },
    'kubernetes.io': { namespace: 'shop', serviceaccount: { name: 'web', uid: UID } },
    ...change,
  });

test('trusts test prints the trust that accepts the token, and its names; the exit code is 1 if none does', async () => {
  const id = await made('tested', '--audience', 'tested');
  await writeFile(file('token'), await token());
  const accepted = await trusts('test', file('token'), '--team', 'red');
  expect(accepted.code).toBe(0);
  expect(accepted.out).toContain(`issuer: ${ISSUER}\nsubject: ${WEB}\ntrust: ${id} (tested)\nnames: *.shop\n`);
  await writeFile(file('token'), await token({ exp: seconds() - 120, iat: seconds() - 600 }));
  const refused = await trusts('test', file('token'));
  expect(refused.code).toBe(1);
  expect(refused.out).toMatch(/no trust accepts this token\n/);
  expect(refused.out).toMatch(new RegExp(`✗ ${id} tested: .*expired`));
});

test('trusts test refuses a file without a token, one that is missing, and a device without an end', async () => {
  await writeFile(file('no-token'), 'hello');
  expect(await trusts('test', file('no-token'))).toMatchObject({
    code: 1,
    err: expect.stringMatching(/JSON Web Token/),
  });
  expect(await trusts('test', file('missing'))).toMatchObject({
    code: 1,
    err: `${file('missing')} cannot be read: there is no such file`,
  });
  expect((await trusts('test', '/dev/zero')).err).toBe('/dev/zero cannot be read: it is not a file');
});

test('trusts accept replaces the UID of a subject, by a given one or by that of its next token', async () => {
  const id = await made('pinned');
  await subject(id, WEB, UID);
  expect((await trusts('accept', id, WEB, '--uid', 'new')).out).toBe(`trust ${id} accepts ${WEB} with the UID new\n`);
  expect((await shown(id)).known[0].pinnedUid).toBe('new');
  expect((await trusts('accept', id, WEB)).out).toBe(`trust ${id} accepts ${WEB} with its next token\n`);
  expect((await shown(id)).known[0].pinnedUid).toBeNull();
});

test('trusts accept refuses a subject that the trust does not know or does not pin, and a trust that ended', async () => {
  const id = await made('open', '--pin-subjects', 'no');
  await subject(id, WEB, null);
  const before = await digest();
  expect((await trusts('accept', 'trust_0', WEB)).err).toMatch(/there is no trust trust_0/);
  expect((await trusts('accept', id, WEB)).err).toMatch(/does not pin its subjects/);
  expect(await digest()).toEqual(before);
  const pinned = await made('ends');
  expect((await trusts('accept', pinned, 'unknown')).err).toMatch(/has no subject unknown/);
  await subject(pinned, WEB, UID);
  await trusts('revoke', pinned);
  expect((await trusts('accept', pinned, WEB)).err).toMatch(/revoked permanently/);
  expect((await shown(pinned)).known[0].pinnedUid).toBe(UID);
});
