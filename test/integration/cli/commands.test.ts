// The command line with a running service and its database: most commands in this process, some as a process.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, inject, test, vi } from 'vitest';
import { zonestead as command, type Ended } from '../../support/program/command-line.ts';
import { COMPILED } from '../../support/program/compiled.ts';
import { NAMESERVERS, startTestService } from '../../support/service/service.ts';

const service = await startTestService({ limits: true });
const { sql } = service;
// The tests of this file together write more zones in a minute than the service permits to a key without numbers of its
// own.
const writer = await service.key({ zoneWrites: 1_000, recordWrites: 1_000 });
const MAIN = inject('program');

const REST = () => ({ ZONESTEAD_URL: service.url, ZONESTEAD_API_KEY: writer.text });

/** Runs `zonestead …` in this process, with these settings. */
async function zonestead(words: string[], settings: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const environment = { DATABASE_URL: service.database.url, ...REST(), ...settings };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  try {
    return await command(...words);
  } finally {
    vi.unstubAllEnvs();
  }
}

/** Runs `zonestead admin …` in this process. */
function admin(...words: string[]): Promise<Ended> {
  return zonestead(['admin', ...words]);
}

/** Runs `zonestead …` as a process, for at most 100 s. */
function asProcess(words: string[]): Promise<Ended> {
  const env = { PATH: process.env.PATH ?? '', ...COMPILED, DATABASE_URL: service.database.url, ...REST() };
  return new Promise((resolve) => {
    execFile(process.execPath, [MAIN, ...words], { env, timeout: 100_000 }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), out, err });
    });
  });
}
const json = async (...words: string[]) => JSON.parse((await zonestead([...words, '-o', 'json'])).out);
const lastLine = (text: string) => text.trimEnd().split('\n').at(-1) ?? '';

test('admin keys mint --node prints a key that can report; admin keys list shows it and admin keys revoke ends it', async () => {
  const { code, out } = await asProcess(['admin', 'keys', 'mint', '--node', 'ns1.test', '--network', '127.0.0.0/8']);
  expect(code).toBe(0);
  const text = lastLine(out);
  const report = async () => {
    const headers = { authorization: `Bearer ${text}`, 'content-type': 'application/json' };
    const instance = '00000000-0000-4000-8000-000000000001';
    const state = { startedAt: '2026-01-01T00:00:00Z', version: '1', engine: 'Knot DNS 3.2.6', cursor: null };
    const counts = { zones: 3, failingCount: 1, failing: [{ id: 'zone_1', error: 'semantic\ncheck' }] };
    const held = { count: 2, zones: [{ name: 'new.test', since: '2026-01-01T00:00:00.000Z' }] };
    const body = JSON.stringify({ node: 'ns9', instance, ...state, ...counts, held });
    return (await fetch(`${service.url}/v1/feed/report`, { method: 'POST', headers, body })).status;
  };
  expect(await report()).toBe(200);
  const listed = (await admin('nodes', 'list')).out;
  expect(listed).toMatch(/^ns9 +Knot DNS 3\.2\.6 +living +[\d.]+ s ago +no list yet +3 +1 +2$/m);
  expect(listed).toContain('ns9: zone_1: semantic check');
  expect(listed).toContain('ns9: holds new.test since 2026-01-01T00:00:00.000Z: the list of the api lacks it');
  expect(listed).toContain('ns9: holds 1 more');
  const refused = await admin('nodes', 'accept-removals');
  expect([refused.code, refused.err]).toEqual([1, expect.stringMatching(/2 zones with their DNSSEC keys.*--yes/)]);
  expect(await sql`select from accepted_removals`).toHaveLength(0);
  const accepted = (await admin('nodes', 'accept-removals', '--yes')).out;
  expect(accepted).toMatch(/^new\.test\nand 1 more\naccepted: .* 2 zones with their DNSSEC keys$/m);
  expect(await sql`select from accepted_removals`).toHaveLength(1);
  expect((await admin('nodes', 'compare')).out).toMatch(/^comparison [0-9a-f]{16}: .*\(2 report now\)/);
  const id = text.split('_')[1] ?? '';
  expect((await admin('keys', 'list')).out).toMatch(new RegExp(`^${id} +\\(name server\\) +ns1.test +.*valid`, 'm'));
  expect((await admin('keys', 'revoke', text)).code).toBe(0);
  expect(await report()).toBe(401);
});

test.each([
  [['--node', 'NS 1'], /"NS 1" is not the name of a node/],
  [['--node', 'ns1', '--team', 'cli'], /a node key has no --team/],
  [['--node', 'ns1', '--records', 'read'], /--records does not apply to a node key/],
  [['--name', 'x'], /--team is missing; give --team and --name, or --node/],
  [[], /^--team and --name are missing; give --team and --name, or --node$/],
])('admin keys mint %j is refused', async (words, message) => {
  const { code, err } = await admin('keys', 'mint', ...words);
  expect([code, err]).toEqual([1, expect.stringMatching(message)]);
});

test('admin keys mint prints a working key with the given permissions', async () => {
  const words =
    'admin keys mint --team cli --create-team --name acme --only-name _acme-challenge --only-type TXT --record-writes 6000';
  const { code, out } = await zonestead([
    ...words.split(' '),
    '--network',
    '127.0.0.0/8',
    '--expires',
    '2099-01-01T00:00:00Z',
  ]);
  expect(code).toBe(0);
  const text = lastLine(out);
  expect((await service.request('GET', '/zones', undefined, text)).status).toBe(200);
  const row = (await sql`select *, networks::text[] as nets from api_keys where id = ${text.split('_')[1] ?? ''}`)[0];
  expect(row).toMatchObject({
    name: 'acme',
    records: 'write',
    manage_zones: 'none',
    only_names: ['_acme-challenge'],
    only_types: ['TXT'],
    nets: ['127.0.0.0/8'],
    record_writes: 6000,
    zone_writes: null,
  });
});

test('admin keys mint --tsig prints the TSIG key as a file after the key', async () => {
  const mint = async (...words: string[]) =>
    (await admin('keys', 'mint', '--team', 'cli', '--name', 'updates', ...words)).out.split('\n');
  const [, text = '', , comment, ...file] = await mint('--tsig');
  const id = text.split('_')[1];
  expect(comment).toMatch(/^# its TSIG key .* shown only once$/);
  const [row] = await sql`select secret, algorithm from tsig_keys where key_id = ${id ?? ''}`;
  expect(row?.algorithm).toBe('hmac-sha256');
  expect(file).toEqual([
    `key "key-${id}.zonestead" {`,
    '\talgorithm hmac-sha256;',
    `\tsecret "${row?.secret}";`,
    '};',
    '',
  ]);
  expect(await mint('--tsig-algorithm', 'hmac-sha512')).toContain('\talgorithm hmac-sha512;');
  const wrong = await admin('keys', 'mint', '--team', 'cli', '--name', 'x', '--tsig-algorithm', 'sha256');
  expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining('must be one of hmac-md5, hmac-sha1')]);
});

test('keys list prints keys without secrets, and keys revoke accepts an id or a whole key', async () => {
  const text = lastLine((await admin('keys', 'mint', '--team', 'cli', '--name', 'gone')).out);
  const [, id = '', secret = ''] = text.split('_');
  const listed = await admin('keys', 'list', '--team', 'cli');
  expect(listed.out).toMatch(new RegExp(`^${id} +cli +gone +write +none +none +valid +never$`, 'm'));
  expect(listed.out).not.toContain(secret);
  expect((await admin('keys', 'revoke', id, '--dry-run')).out).toBe(`dry run: key ${id} is revoked\n`);
  expect((await admin('keys', 'list')).out).toMatch(new RegExp(`^${id} .* valid `, 'm'));
  expect((await admin('keys', 'revoke', text)).out).toBe(`key ${id} is revoked\n`);
  expect((await service.request('GET', '/zones', undefined, text)).status).toBe(401);
  expect((await admin('keys', 'list')).out).toMatch(new RegExp(`^${id} .* revoked `, 'm'));
  const told = await sql`select action, key_id from account_changes where subject = ${id} order by id`;
  expect(told.map((row) => [row.action, row.key_id])).toEqual([
    ['key.mint', null],
    ['key.revoke', null],
  ]);
});

test('admin users add creates a user with a key and a team', async () => {
  const { code, out } = await admin('users', 'add', '--email', 'Cli@example.org', '--team', 'cli');
  expect(code).toBe(0);
  const who = await service.request('GET', '/../account', undefined, lastLine(out));
  expect(who.body).toMatchObject({ user: { email: 'cli@example.org' }, teams: [{ name: 'cli', role: 'owner' }] });
  const again = await admin('users', 'add', '--email', 'cli@example.org');
  expect(again.out).toMatch(/^existing user/);
});

test('admin teams quota prints usage and limits, changes them, and rejects a value that is not a number', async () => {
  const { team } = await service.key({ team: 'limited team' });
  const changed = await admin('teams', 'quota', 'limited team', '--records', '5', '--bytes', '2Ki');
  expect([changed.code, changed.out]).toEqual([
    0,
    [
      `team limited team (${team})`,
      'QUOTA    USED  LIMIT',
      "zones    0     the service's",
      'records  0     5',
      'bytes    0     2048',
      "keys     1     the service's",
      "members  0     the service's",
      '',
    ].join('\n'),
  ]);
  const { quota } = await json('admin', 'teams', 'quota', team, '--default', '--zones', '1');
  expect(quota).toMatchObject({ zones: { used: 0, own: 1 }, records: { own: null }, bytes: { own: null } });
  const [row] = await sql`select quota_zones, quota_records from teams where id = ${team}`;
  expect(row).toEqual({ quota_zones: 1, quota_records: null });
  const wrong = await admin('teams', 'quota', team, '--records', 'many', '--bytes', '1G');
  expect(wrong.err).toContain('--records must be a whole number; --bytes must be a number of bytes');
  expect((await admin('teams', 'quota', 'unknown')).err).toContain('there is no team "unknown"');
});

test('admin zones release ends the quarantine of a name', async () => {
  const zone = await service.zone('released.example');
  await service.request('DELETE', `/zones/${zone.id}`);
  const other = await service.key({ team: 'another team' });
  const create = async () =>
    (await service.request('POST', '/zones', { zoneName: 'released.example', owner: `org:${other.team}` }, other.text))
      .status;
  expect(await create()).toBe(409);
  const release = async (...more: string[]) => admin('zones', 'release', 'Released.example', ...more);
  // It deletes all that is kept for a restore, so the command asks for a confirmation.
  const refused = await release();
  expect(refused.code).not.toBe(0);
  expect(refused.err).toContain('the deleted zone Released.example cannot be restored; repeat the command with --yes');
  expect((await release('--dry-run')).out).toBe('dry run: the name released.example is free\n');
  expect(await create()).toBe(409);
  expect((await release('--yes')).out).toBe('the name released.example is free\n');
  expect(await create()).toBe(200);
  expect((await admin('zones', 'release', 'released.example', '--yes')).err).toContain('is not in quarantine');
});

test('a team can be given by its id, so that a reused name gives no key', async () => {
  const made = await admin('users', 'add', '--email', 'id@example.org', '--team', 'known by id', '--create-team');
  const id = /team_\w+/.exec(made.out)?.[0] ?? '';
  const minted = await admin('keys', 'mint', '--team', id, '--name', 'by id');
  const who = await service.request('GET', '/../account', undefined, lastLine(minted.out));
  expect(who.body.team).toMatchObject({ id, name: 'known by id' });
  const joined = await admin('users', 'add', '--email', 'id2@example.org', '--team', id, '--role', 'member');
  expect((await service.request('GET', '/../account', undefined, lastLine(joined.out))).body).toMatchObject({
    teams: [{ id, role: 'member' }],
  });
  for (const words of [
    ['admin', 'keys', 'mint', '--name', 'x'],
    ['admin', 'users', 'add', '--email', 'id3@example.org'],
  ]) {
    const { code, err } = await zonestead([...words, '--team', 'team_ffffffffffff']);
    expect([code, err]).toEqual([1, expect.stringContaining('there is no team team_ffffffffffff')]);
  }
  expect(await sql`select from teams where name ~ '^team_[0-9a-f]{12}$' or id = 'team_ffffffffffff'`).toHaveLength(0);
});

test.each([
  ['keys', ['mint', '--name', 'x']],
  ['users', ['add', '--email', 'typo@example.org']],
  ['trusts', ['create', '--name', 'x', '--issuer', 'https://id.example.org', '--match', 'sub=x']],
])('the command %s names a team that is not there, and makes none', async (group, words) => {
  await admin('users', 'add', '--email', 'first@example.org', '--team', 'platform', '--create-team');
  const { code, err } = await admin(group, ...words, '--team', 'platfrom');
  expect([code, err]).toEqual([1, expect.stringContaining('there is no team "platfrom". Did you mean "platform"?')]);
  expect(err).toContain('--create-team creates this one');
  expect(await sql`select from teams where name = 'platfrom'`).toHaveLength(0);
  expect(await sql`select from users where email = 'typo@example.org'`).toHaveLength(0);
});

test('admin teams list prints members, keys and the rule, and teams bind requires --yes for a team with members', async () => {
  const { out } = await admin(
    'users',
    'add',
    '--email',
    'binder@example.org',
    '--team',
    'bound by hand',
    '--create-team',
  );
  const id = /team_\w+/.exec(out)?.[0];
  const asked = await admin('teams', 'bind', 'by rule', '--team', id!);
  expect([asked.code, asked.err]).toEqual([1, expect.stringContaining('already has owner binder@example.org')]);
  const bound = await admin('teams', 'bind', 'by rule', '--team', id!, '--yes');
  expect(bound.out).toBe(`the rules' team "by rule" is bound to "bound by hand" (${id})\n`);
  expect((await admin('teams', 'list')).out).toMatch(new RegExp(`^${id} +1 +0 +"by rule" +bound by hand$`, 'm'));
  const { teams } = await json('admin', 'teams', 'list');
  expect(teams).toContainEqual(expect.objectContaining({ id, name: 'bound by hand', rule: 'by rule', members: 1 }));
  expect((await admin('teams', 'bind', 'nowhere')).err).toContain('there is no team named "nowhere"');
});

test.each([
  [
    ['admin', 'keys', 'mint', '--team', 'x', '--name', 'x', '--records', 'all'],
    '--records must be one of none, read, write',
  ],
  [['admin', 'keys', 'mint', '--team', 'x', '--name', 'x', '--grant', 'zone_1'], '--grant must be <zoneId>=none'],
  [['admin', 'keys', 'mint', '--team', 'cli', '--name', 'x', '--grant', 'zone_1=read'], 'zone zone_1 does not exist'],
  [['admin', 'keys', 'mint', '--team', 'x', '--name', 'x', '--network', '10.0.0.1/8'], '10.0.0.0/8'],
  [['admin', 'keys', 'revoke', 'nothing'], 'there is no key nothing'],
  [['admin', 'users', 'add', '--email', 'nobody'], '--email must be an e-mail address'],
])('the command line %j is rejected: %s', async (words, said) => {
  const { code, out, err } = await zonestead(words);
  expect([code, out]).toEqual([1, '']);
  expect(err).toContain(said);
  expect(await sql`select from teams where name = 'x'`).toHaveLength(0);
});

test('commands manage a zone from creation to deletion, by its name', async () => {
  const created = await json('zones', 'create', 'cli.example', '--default-ttl', '600', '--denial', 'NSEC3');
  expect(created).toMatchObject({
    zoneName: 'cli.example',
    owner: `org:${writer.team}`,
    defaultTtl: 600,
    status: 'done',
  });
  const updated = await json('zones', 'update', 'cli.example', '--default-ttl', '900', '--comment', 'for the shop');
  expect(updated).toMatchObject({ id: created.id, defaultTtl: 900, denial: 'NSEC3', comment: 'for the shop' });
  expect(await json('zones', 'update', 'cli.example', '--denial', 'NSEC')).toMatchObject({ denial: 'NSEC' });
  expect((await zonestead(['zones', 'list'])).out).toMatch(
    new RegExp(`^cli\\.example .*${created.id} +for the shop$`, 'm'),
  );
  expect((await zonestead(['zones', 'update', 'cli.example', '--comment', ''])).out).not.toContain('comment');
  const unchanged = await zonestead(['zones', 'update', 'cli.example']);
  expect([unchanged.code, unchanged.err]).toEqual([
    1,
    expect.stringContaining('give --default-ttl, --denial or --comment'),
  ]);
  expect(await json('zones', 'get', created.id)).toEqual(await json('zones', 'get', 'cli.example'));
  await service.dns.lookup('cli.example', 'SOA');
  const { address, port } = service.dns;
  const at = { ZONESTEAD_NAMESERVER_ADDRESSES: NAMESERVERS.map((name) => `${name}=${address}:${port}`).join() };
  const status = (await zonestead(['zones', 'status', 'cli.example'], at)).out;
  expect(status).toMatch(/^serial {2}\d+$/m);
  expect(status).toMatch(/^ns1 +current +20[0-9T:.-]+Z *$/m);
  expect(status).toMatch(new RegExp(`^ns2\\.zonestead\\.test +${address}:${port} +ns1 +\\d+ *$`, 'm'));
  expect((await asProcess(['zones', 'park', 'cli.example'])).out).toBe('cli.example is parked\n');
  expect((await zonestead(['zones', 'unpark', 'cli.example'])).out).toBe('cli.example is active\n');
  // One line each for the zone file of the parent, SHA-256 first.
  expect((await zonestead(['zones', 'ds', 'cli.example'])).out).toMatch(
    /^cli\.example\. IN DS \d+ 13 2 [0-9a-f]{64}\n(cli\.example\. IN DS \d+ 13 4 [0-9a-f]{96}\n)?$/i,
  );
  // The statement of BIND that delv reads.
  expect((await zonestead(['zones', 'ds', 'cli.example', '--trust-anchor'])).out).toMatch(
    /^trust-anchors \{ cli\.example\. static-ds \d+ 13 2 "[0-9a-f]{64}";.* \};\n$/i,
  );
  const twoForms = await zonestead(['zones', 'ds', 'cli.example', '--trust-anchor', '-o', 'json']);
  expect([twoForms.code, twoForms.err]).toEqual([1, expect.stringContaining('--trust-anchor has one form')]);
  const unsure = await zonestead(['zones', 'delete', 'cli.example']);
  expect(unsure.code).toBe(1);
  expect(unsure.err).toContain('repeat the command with --yes');
  expect((await zonestead(['zones', 'delete', 'cli.example', '--yes'])).code).toBe(0);
  expect((await zonestead(['zones', 'get', 'cli.example'])).err).toContain('no zone cli.example');
});

test('a list fits the terminal, and has no colours if NO_COLOR is set', async () => {
  await service.zone('a-long-name-of-a-zone.terminal.example', writer);
  const at = async (width: number, settings: Record<string, string>) => {
    const command = `stty cols ${width}; exec '${process.execPath}' '${MAIN}' zones list`;
    const env = { PATH: process.env.PATH ?? '', TERM: 'xterm', ...COMPILED, ...REST(), ...settings };
    const { stdout } = await promisify(execFile)('script', ['-qec', command, '/dev/null'], { env, timeout: 100_000 });
    return stdout.replaceAll('\r', '').split('\n');
  };
  const narrow = await at(40, { NO_COLOR: '1' });
  expect(narrow.every((line) => line.length <= 40)).toBe(true);
  expect(narrow).toContain('ZONE     a-long-name-of-a-zone.terminal.');
  const bold = '\u001b[1m';
  expect(narrow.join()).not.toContain('\u001b');
  expect((await at(200, {}))[0]).toContain(`${bold}ZONE `);
});

test('commands manage a record from creation to deletion', async () => {
  expect((await zonestead(['zones', 'create', 'rec.example', '--comment', 'for records'])).out).toMatch(
    /^comment +for records$/m,
  );
  const more = ['--priority', '5', '--comment', 'the mail server'];
  const mx = await json('records', 'create', 'rec.example', '@', 'mx', 'mail.example.net', ...more);
  expect(mx).toMatchObject({ name: '@', type: 'MX', priority: 5, comment: 'the mail server' });
  const txt = await json('records', 'create', 'rec.example', '_acme-challenge', 'TXT', 'token', '--ttl', '60');
  const table = await zonestead(['records', 'list', 'rec.example']);
  expect(table.out.split('\n')[0]).toMatch(/^NAME +TYPE +TTL +PRIORITY +ID +CONTENT$/);
  expect(table.out).toMatch(new RegExp(`^_acme-challenge +TXT +60 +- +${txt.id} +`, 'm'));
  expect((await json('records', 'list', 'rec.example', '--type', 'mx')).records).toHaveLength(1);
  expect(table.out).toMatch(/^@ +MX .* mail\.example\.net ; the mail server$/m);
  const update = (...words: string[]) => json('records', 'update', 'rec.example', txt.id, 'other', ...words);
  const changed = await update('--ttl', '90', '--comment', 'a token');
  expect(changed).toMatchObject({ id: txt.id, ttl: 90, name: '_acme-challenge', comment: 'a token' });
  expect(await update()).toHaveProperty('comment', 'a token');
  expect(await update('--comment', '')).not.toHaveProperty('comment');
  expect((await zonestead(['records', 'delete', 'rec.example', txt.id])).code).toBe(0);
  expect((await json('records', 'list', 'rec.example', '--name', '_acme-challenge')).records).toEqual([]);
});

test('errors contain the message of the service and a hint', async () => {
  await json('zones', 'create', 'err.example');
  const bad = await asProcess(['records', 'create', 'err.example', 'www', 'A', 'nonsense']);
  expect(bad.err).toMatch(/^zonestead: content: .*\(400 bad_request\)\n$/);
  const denied = await zonestead(['zones', 'list'], { ZONESTEAD_API_KEY: 'yk_0_0' });
  expect(denied.err).toContain('ZONESTEAD_API_KEY is not valid');
  const file = { ZONESTEAD_API_KEY: undefined, ZONESTEAD_API_KEY_FILE: '/nowhere/token' };
  const missing = await zonestead(['zones', 'list'], file);
  expect(missing.err).toContain('ZONESTEAD_API_KEY_FILE: /nowhere/token cannot be read (ENOENT)');
  const nowhere = await zonestead(['zones', 'list'], { ZONESTEAD_URL: 'http://127.0.0.1:9' });
  expect(nowhere.err).toContain('Is ZONESTEAD_URL (http://127.0.0.1:9) right?');
  expect((await zonestead(['zones', 'list'], { ZONESTEAD_URL: '' })).err).toContain('ZONESTEAD_URL is missing');
  const ttl = await asProcess(['records', 'create', 'err.example', 'a', 'A', '192.0.2.1', '--ttl', '1x']);
  expect(ttl.err).toMatch(/It must be a whole number of seconds, or a time with units such as 90s.*\n$/);
  const split = await asProcess(['records', 'create', 'err.example', 'a', 'TXT', 'v=spf1', '-all']);
  expect(split.err).toMatch(/unknown option '-all'\nPut a value with blanks in quotes/);
  const noDatabase = await zonestead(['admin', 'keys', 'list'], { DATABASE_URL: '' });
  expect(noDatabase.err).toContain('DATABASE_URL is missing. It is the address of the Postgres database');
  for (const each of [bad, denied, nowhere]) expect([each.code, each.out]).toEqual([1, '']);
});

test('owners list shows who owns what, and owners release releases an owner', async () => {
  const zone = await service.zone('owners-cli.example', writer);
  const set = (owner: string, name: string) => ({ owner, name, type: 'A', values: [{ content: '192.0.2.1' }] });
  const sets = [set('k8s:prod/default/www', 'www'), { ...set('acme:lego', 'api'), share: true }];
  await service.request('POST', `/zones/${zone.id}/records:apply`, { sets });
  const { out } = await zonestead(['owners', 'list', 'owners-cli.example']);
  expect(out).toMatch(/^OWNER +NAME +TYPE +STATE +VALUES$/m);
  expect(out).toMatch(/^acme:lego +api +A +as applied, shared +192\.0\.2\.1$/m);
  expect(out).toMatch(/^k8s:prod\/default\/www +www +A +as applied +192\.0\.2\.1$/m);
  const { owners } = await json('owners', 'list', zone.id, '--prefix', 'k8s:prod/');
  expect(owners).toMatchObject([{ owner: 'k8s:prod/default/www', records: [{ content: '192.0.2.1' }] }]);
  expect((await zonestead(['owners', 'release', zone.id, 'acme:lego'])).err).toContain('repeat the command with --yes');
  const released = await zonestead(['owners', 'release', zone.id, 'acme:lego', '--yes']);
  expect(released.out).toContain('released the records of acme:lego');
  expect((await zonestead(['owners', 'list', zone.id])).out).not.toContain('acme:lego');
  expect((await zonestead(['owners', 'list', zone.id, '--prefix', 'acme:'])).out).toContain('no owner has records');
});
