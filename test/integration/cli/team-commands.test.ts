// `zonestead keys`, `trusts`, `teams`, `users`, `secondaries` and `nodes` over the REST API: with the key of an
// owner, of a member, of a person of another team, and of an app.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { zonestead as command, type Ended } from '../../support/program/command-line.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';
import { addPerson } from '../../support/service/people.ts';
import { startTestService } from '../../support/service/service.ts';
import { issuerKey, seconds } from '../../support/tokens/keys.ts';

const service = await startTestService({ nameserver: false });
const folder = await temporaryFolder('team-commands');
const [owner, other, alone] = [
  await addPerson(service, { team: 'red', email: 'ada@example.org' }),
  await addPerson(service, { team: 'blue', email: 'eve@example.org' }),
  await addPerson(service, { email: 'bob@example.org' }),
];
const app = await service.key({ team: 'red' });

/** Runs `zonestead …` with a key, without the address of the database. */
async function as({ text }: { text: string }, ...words: string[]): Promise<Ended> {
  for (const [name, value] of Object.entries({
    ZONESTEAD_URL: service.url,
    ZONESTEAD_API_KEY: text,
    DATABASE_URL: '',
  }))
    vi.stubEnv(name, value);
  try {
    return await command(...words);
  } finally {
    vi.unstubAllEnvs();
  }
}
const json = async (who: { text: string }, ...words: string[]) =>
  JSON.parse((await as(who, ...words, '-o', 'json')).out);
const digest = async () =>
  (
    await service.sql`select (select count(*)::int from account_changes) as changes, (select count(*)::int from api_keys) as keys`
  )[0];

test('keys mint prints a working key once; list, show, update and revoke work on it', async () => {
  const rights = ['--records', 'read', '--only-type', 'txt', '--network', '127.0.0.0/8', '--record-writes', '5'];
  const minted = await as(owner, 'keys', 'mint', '--name', 'dns', ...rights, '--tsig');
  const [head, text = '', , comment] = minted.out.split('\n');
  expect([minted.code, minted.err, head]).toEqual([
    0,
    '',
    expect.stringMatching(/^key \w+ of team red \(team_\w+\), shown only once:$/),
  ]);
  expect(comment).toMatch(/^# its TSIG key .* shown only once$/);
  const [, id = '', secret = ''] = text.split('_');
  expect((await service.request('GET', '/zones', undefined, text)).status).toBe(200);
  const listed = await as(owner, 'keys', 'list', '--team', 'red');
  expect(listed.out).toMatch(new RegExp(`^${id} +dns +read +none +none +valid +\\S+ +ada@example\\.org$`, 'm'));
  const shown = await json(owner, 'keys', 'show', text, '--team', owner.team);
  expect(shown).toMatchObject({ id, onlyTypes: ['TXT'], networks: ['127.0.0.0/8'], recordWrites: 5, zoneWrites: null });
  for (const out of [listed.out, JSON.stringify(shown)]) expect(out).not.toContain(secret);
  const changed = await json(owner, 'keys', 'update', id, '--no-only-type', '--no-record-writes', '--name', 'new');
  expect(changed).toMatchObject({ name: 'new', records: 'read', onlyTypes: null, recordWrites: null });
  expect((await as(owner, 'keys', 'update', id)).err).toMatch(/^nothing to change/);
  expect((await as(owner, 'keys', 'revoke', id, '--dry-run')).out).toBe(
    `would revoke the key ${id} (new) of team red\n`,
  );
  expect((await json(owner, 'keys', 'show', id)).revokedAt).toBeNull();
  expect((await as(owner, 'keys', 'revoke', text)).out).toBe(`key ${id} is revoked\n`);
  expect((await service.request('GET', '/zones', undefined, text)).status).toBe(401);
  const asJson = await json(owner, 'keys', 'mint', '--name', 'json');
  expect(asJson).toMatchObject({ name: 'json', records: 'write', secret: expect.stringMatching(/^yk_/), tsig: null });
});

test.each([
  [['--records', 'all'], '--records must be one of none, read, write'],
  [['--clusters', 'read'], '--clusters must be none or write'],
  [['--grant', 'zone_1'], '--grant must be <zoneId>=none, =read or =write'],
  [['--grant', 'zone_1=all'], '--grant must be one of none, read, write'],
  [['--expires', 'soon'], /^--expires must be an ISO 8601 time with a time zone, for instance 2027-01-31T00:00:00Z$/],
  [['--zone-writes', '0'], /^--zone-writes must be a whole number of at least 1$/],
  [['--only-type', 'NOPE'], /^--only-type /],
  [['--only-name', 'a b'], /^--only-name: "a b" is not a pattern .*\(400 bad_request\)$/],
  [['--tsig-algorithm', 'sha256'], '--tsig-algorithm must be one of hmac-md5'],
  [['--grant', 'zone_0=read'], '(404 no_zone)'],
])('keys mint %j is refused with the option that is wrong, and makes no key', async (words, message) => {
  const before = await digest();
  const { code, err, out } = await as(owner, 'keys', 'mint', '--name', 'x', ...words);
  expect([code, err, out]).toEqual([
    1,
    typeof message === 'string' ? expect.stringContaining(message) : expect.stringMatching(message),
    '',
  ]);
  expect(await digest()).toEqual(before);
});

test('the key of an app is refused, with the kind of key that is needed', async () => {
  const before = await digest();
  for (const words of [
    ['keys', 'mint', '--name', 'x'],
    ['keys', 'list', '--team', 'red'],
    ['trusts', 'list'],
    ['teams', 'list'],
    ['teams', 'create', 'green'],
    ['users', 'list'],
    ['users', 'invitations'],
  ]) {
    const { code, err } = await as(app, ...words);
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/key of an app of the team "red".* key of a person \(yu_…\).*admin users add/),
    ]);
  }
  expect(await digest()).toEqual(before);
});

test('--team may be absent with one team alone, and an error names the teams', async () => {
  expect((await as(alone, 'keys', 'list')).err).toMatch(/^you are not a member of any team; create one/);
  expect((await as(owner, 'keys', 'list')).code).toBe(0);
  const created = await json(owner, 'teams', 'create', 'second');
  expect((await as(owner, 'keys', 'list')).err).toBe(
    'you are a member of several teams; name one with --team: "red", "second"',
  );
  expect((await json(owner, 'teams', 'show', 'second')).quota.members).toMatchObject({ used: 1 });
  expect((await as(owner, 'teams', 'rename', 'second', 'third')).out).toMatch(/^team second .* has the name third now/);
  expect((await json(owner, 'teams', 'list')).teams.map(({ name }: { name: string }) => name)).toEqual([
    'red',
    'third',
  ]);
  const { changes } = await json(owner, 'teams', 'history', created.id, '--limit', '1');
  expect(changes).toMatchObject([{ action: 'team.rename', subject: created.id }]);
});

test('a person of another team sees and changes nothing', async () => {
  const { id } = await json(owner, 'keys', 'mint', '--team', 'red', '--name', 'guarded');
  for (const team of ['red', owner.team]) {
    const { code, err } = await as(other, 'keys', 'revoke', id, '--team', team);
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/^you are not a member of a team .*; your teams are "blue"$/),
    ]);
  }
  expect((await as(other, 'keys', 'revoke', id)).err).toContain('(404 not_found)');
  expect((await as(owner, 'keys', 'show', 'none', '--team', 'red')).err).toContain('(404 not_found)');
  expect((await json(owner, 'keys', 'show', id, '--team', 'red')).revokedAt).toBeNull();
});

test('the commands below trusts create, test, update, show, list and revoke a trust', async () => {
  const key = await issuerKey('one');
  const jwks = join(folder, 'jwks.json');
  await writeFile(jwks, JSON.stringify({ keys: [key.jwk] }));
  const team = ['--team', 'red'];
  const terms = ['--issuer', 'https://id.example.org', '--match', 'sub=robot', '--jwks-file', jwks];
  const made = await as(owner, 'trusts', 'create', ...team, '--name', 'robots', ...terms, '--only-name', 'robot');
  const [, id = ''] = /^trust (trust_\w+) of team red: /.exec(made.out) ?? [];
  expect(made.out).toContain(`for the audience zonestead/${owner.team} are accepted`);
  const token = join(folder, 'token');
  const signed = (sub: string) =>
    key.sign({
      iss: 'https://id.example.org',
      sub,
      aud: `zonestead/${owner.team}`,
      iat: seconds(),
      exp: seconds() + 600,
    });
  await writeFile(token, `${await signed('robot')}\n`);
  const accepted = await as(owner, 'trusts', 'test', token, ...team);
  expect([accepted.code, accepted.out]).toEqual([0, expect.stringContaining(`trust: ${id} (robots)\nnames: robot\n`)]);
  await writeFile(token, await signed('stranger'));
  expect((await as(owner, 'trusts', 'test', token, ...team)).code).toBe(1);
  expect((await as(owner, 'trusts', 'update', id, ...team, '--max-token-age', '600')).out).toContain(
    'maxTokenAge: 600',
  );
  expect((await as(owner, 'trusts', 'update', id, ...team, '--max-token-age', 'long')).err).toMatch(
    /^--max-token-age must be a number of seconds/,
  );
  expect(await json(owner, 'trusts', 'show', id, ...team)).toMatchObject({ id, match: { sub: 'robot' }, known: [] });
  expect((await as(owner, 'trusts', 'accept', id, 'robot', ...team)).err).toContain(id);
  expect((await as(owner, 'trusts', 'revoke', id, ...team, '--dry-run')).out).toMatch(/^would revoke the trust/);
  expect((await as(owner, 'trusts', 'revoke', id, ...team)).out).toBe(`trust ${id} is revoked\n`);
  expect((await as(owner, 'trusts', 'list', ...team)).out).toMatch(
    new RegExp(`^${id} +robots .* revoked +0 +never$`, 'm'),
  );
});

test('an invited person accepts, gets a role and is removed; a member cannot invite', async () => {
  const team = ['--team', 'red'];
  expect((await as(owner, 'users', 'invite', 'bob', ...team)).err).toBe('<email> bob must be an e-mail address');
  const sent = await json(owner, 'users', 'invite', 'bob@example.org', ...team);
  expect(sent.role).toBe('member');
  expect((await json(owner, 'users', 'invitations', ...team)).invitations).toMatchObject([{ id: sent.id }]);
  expect((await json(alone, 'users', 'invitations')).invitations).toMatchObject([
    { id: sent.id, team: { name: 'red' } },
  ]);
  expect((await as(other, 'users', 'accept', sent.id)).err).toContain('(404 not_found)');
  expect((await as(alone, 'users', 'accept', sent.id)).out).toBe(`you are member of team red (${owner.team})\n`);
  for (const words of [
    ['invite', 'mallory@example.org'],
    ['role', 'bob@example.org', 'owner'],
    ['remove', 'ada@example.org'],
  ]) {
    const { code, err } = await as(alone, 'users', ...words, ...team);
    expect([code, err]).toEqual([1, expect.stringContaining('(403 forbidden)')]);
  }
  expect((await as(owner, 'users', 'list', ...team)).out).toMatch(/^user_\w+ +bob@example\.org +member +0 /m);
  expect((await as(owner, 'users', 'role', 'BOB@example.org', 'owner', ...team)).out).toBe(
    'bob@example.org is owner of team red\n',
  );
  const { id } = await json(alone, 'keys', 'mint', ...team, '--name', 'of bob');
  expect((await as(owner, 'users', 'remove', 'stranger@example.org', ...team)).err).toMatch(
    /^stranger@example.org is not a member/,
  );
  const remove = ['users', 'remove', 'bob@example.org', ...team, '--revoke-keys'];
  expect((await as(owner, ...remove, '--dry-run')).out).toMatch(/^would remove bob@example.org from team red, with/);
  expect((await as(owner, ...remove)).out).toMatch(/^removed bob@example.org from team red/);
  expect((await json(owner, 'keys', 'show', id, ...team)).revokedAt).not.toBeNull();
  const again = await json(owner, 'users', 'invite', 'bob@example.org', ...team, '--role', 'owner');
  expect((await as(owner, 'users', 'uninvite', again.id, ...team)).out).toBe(`revoked the invitation ${again.id}\n`);
  expect((await as(alone, 'users', 'invitations')).out).toBe('no open invitations\n');
  const third = await json(owner, 'users', 'invite', 'bob@example.org', ...team);
  expect((await as(alone, 'users', 'decline', third.id)).out).toBe(`declined the invitation ${third.id}\n`);
});

test('secondaries list and nodes list also take the key of an app', async () => {
  expect((await as(app, 'secondaries', 'list')).out).toBe('no secondary is offered\n');
  const zone = await service.zone('nodes.example', app);
  expect((await as(app, 'nodes', 'list', zone.zoneName)).out).toMatch(/^NODE +STATE +LAST REPORT +PROBLEM\n/);
  expect((await json(app, 'nodes', 'list', zone.id)).nodes).toEqual([]);
});

test('without settings of REST, an error names the command over the database', async () => {
  for (const [name, value] of Object.entries({
    ZONESTEAD_URL: '',
    ZONESTEAD_API_KEY: '',
    DATABASE_URL: 'postgres://x/y',
  }))
    vi.stubEnv(name, value);
  try {
    expect((await command('keys', 'mint', '--name', 'x')).err).toContain('call "zonestead admin keys mint"');
    expect((await command('users', 'invitations')).err).not.toContain('zonestead admin');
  } finally {
    vi.unstubAllEnvs();
  }
});
