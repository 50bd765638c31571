// The command line and records that have owners: every command that would change them names the owners and asks.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { zonestead } from '../../support/program/command-line.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';
import { startTestService } from '../../support/service/service.ts';

const service = await startTestService({ nameserver: false });
const admin = await service.key();
vi.stubEnv('ZONESTEAD_URL', service.url);
vi.stubEnv('ZONESTEAD_API_KEY', admin.text);
vi.stubEnv('NO_COLOR', '1');
const folder = await temporaryFolder('owned-records');

const QUESTION = 'this changes records that have owners, which may revert it: ';
const NOTICE = 'has an owner, which may revert this: ';
const FORCE = '; repeat the command with --force';

const json = async (...words: string[]) => JSON.parse((await zonestead(...words, '-o', 'json')).out);
const contents = async (zone: string, name: string): Promise<string[]> =>
  (await json('records', 'list', zone, '--name', name)).records
    .map(({ content }: { content: string }) => content)
    .sort();

/** A zone in which a DNSRecord owns the addresses of `www`, and no one those of `free`. */
async function ownedZone(name: string): Promise<string> {
  const { id } = await service.zone(name, admin);
  const values = [{ content: '192.0.2.10' }, { content: '192.0.2.11' }];
  const set = { owner: 'k8s:prod/default/www', name: 'www', type: 'A', values };
  expect((await service.request('POST', `/zones/${id}/records:apply`, { sets: [set] })).status).toBe(200);
  expect((await zonestead('records', 'create', name, 'free', 'A', '192.0.2.1')).err).toBe('');
  return id;
}

/** Writes a zone file, and returns its path. */
async function file(...lines: string[]): Promise<string> {
  const path = join(folder, `${crypto.randomUUID()}.zone`);
  await writeFile(path, `${lines.join('\n')}\n`);
  return path;
}

const owned = (value: string) => `www A ${value} (the DNSRecord default/www in the cluster prod)`;

test('a record with an owner is not changed without --force, and lists and dry runs name the owner', async () => {
  await ownedZone('owned.example');
  const list = await zonestead('records', 'list', 'owned.example');
  expect(list.out).toMatch(/^NAME +TYPE +TTL +PRIORITY +ID +OWNERS +CONTENT$/m);
  expect(list.out).toMatch(/^www .* k8s:prod\/default\/www +192\.0\.2\.10$/m);
  expect(list.out).toMatch(/^free .* - +192\.0\.2\.1$/m);
  const owner = owned('192.0.2.10');
  const dry = await zonestead('records', 'set', 'owned.example', 'www', 'A', '192.0.2.50', '--dry-run');
  expect(dry.out).toContain(`${NOTICE}${owner}`);
  const { records } = await json('records', 'list', 'owned.example', '--name', 'www');
  const record: string = records.find(({ content }: { content: string }) => content === '192.0.2.10').id;
  const tries = [
    ['set', 'owned.example', 'www', 'A', '192.0.2.50', '--yes'],
    ['delete', 'owned.example', 'www', 'A', '--yes'],
    ['delete', 'owned.example', record],
    ['update', 'owned.example', record, '192.0.2.51'],
  ];
  for (const words of tries) {
    const { err } = await zonestead('records', ...words);
    for (const part of [QUESTION, owner, FORCE]) expect(err).toContain(part);
  }
  expect(await contents('owned.example', 'www')).toEqual(['192.0.2.10', '192.0.2.11']);
  expect((await zonestead('records', 'update', 'owned.example', record, '192.0.2.51', '--force')).err).toBe('');
  // A value next to those of an owner is not theirs.
  expect((await zonestead('records', 'create', 'owned.example', 'www', 'A', '192.0.2.12')).err).toBe('');
  expect((await zonestead('records', 'delete', 'owned.example', 'www', 'A', '--yes', '--force')).err).toBe('');
  expect(await contents('owned.example', 'www')).toEqual([]);
});

test('zones apply asks before a zone file changes or deletes owned records, and a dry run names them', async () => {
  await ownedZone('file.example');
  const path = await file(
    '$ORIGIN file.example.',
    '$TTL 3600',
    'free A 192.0.2.2',
    'www 60 A 192.0.2.11',
    'n A 192.0.2.3',
  );
  const dry = await zonestead('zones', 'apply', path, '--dry-run');
  const named = dry.out.split('\n').filter((line) => line.startsWith(NOTICE));
  expect(named.sort()).toEqual([`${NOTICE}${owned('192.0.2.10')}`, `${NOTICE}${owned('192.0.2.11')}`]);
  const asked = await zonestead('zones', 'apply', path, '--yes');
  expect([asked.code, asked.out]).toEqual([1, '']);
  for (const part of [QUESTION, owned('192.0.2.10'), owned('192.0.2.11'), FORCE]) expect(asked.err).toContain(part);
  expect(await contents('file.example', 'www')).toEqual(['192.0.2.10', '192.0.2.11']);
  expect((await zonestead('zones', 'apply', path, '--force')).err).toBe('');
  expect(await contents('file.example', 'www')).toEqual(['192.0.2.11']);
  expect(await contents('file.example', 'free')).toEqual(['192.0.2.2']);
});

test('zones apply does not ask if the owned records stay as they are', async () => {
  await ownedZone('stays.example');
  const path = await file(
    '$ORIGIN stays.example.',
    '$TTL 3600',
    'free A 192.0.2.2',
    'www A 192.0.2.11',
    'www A 192.0.2.10',
  );
  expect((await zonestead('zones', 'apply', path)).err).toBe('');
  expect(await contents('stays.example', 'free')).toEqual(['192.0.2.2']);
});

test('import asks before it changes the TTL of owned records, imports other zones, and a dry run names them', async () => {
  await ownedZone('import.example');
  const path = await file('$ORIGIN import.example.', 'www 60 A 192.0.2.10', 'new 60 A 192.0.2.3');
  const other = await file('$ORIGIN other-import.example.', 'new 60 A 192.0.2.3');
  const plan = await json('import', path, '--zone', 'import.example', '--dry-run');
  expect(plan.zones[0].notes).toEqual([{ place: 'line 2', message: `${NOTICE}${owned('192.0.2.10')}` }]);
  const words = ['import', path, other, '--create'];
  const first = await json(...words);
  expect(first.zones).toMatchObject([
    { outcome: 'failed', problem: expect.stringContaining('give --zone') },
    { outcome: 'imported' },
  ]);
  const refused = await json('import', path, '--zone', 'import.example');
  expect(refused.zones).toMatchObject([{ outcome: 'failed', problem: `${QUESTION}${owned('192.0.2.10')}${FORCE}` }]);
  expect(await contents('import.example', 'new')).toEqual([]);
  expect((await zonestead('import', path, '--zone', 'import.example', '--force')).code).toBe(0);
  expect(await contents('import.example', 'new')).toEqual(['192.0.2.3']);
});

test('import does not ask about owned records that the source has as they are', async () => {
  await ownedZone('same.example');
  const path = await file('$ORIGIN same.example.', 'www 3600 A 192.0.2.10', 'new 60 A 192.0.2.3');
  expect((await zonestead('import', path, '--zone', 'same.example')).code).toBe(0);
  expect(await contents('same.example', 'new')).toEqual(['192.0.2.3']);
});

test('changes undo has no question, because the service refuses an undo of owned records', async () => {
  const zone = await ownedZone('undo.example');
  const [{ id: record }] = (await json('records', 'list', 'undo.example', '--name', 'www')).records;
  const { status } = await service.request('PUT', `/zones/${zone}/records/${record}`, {
    ...{ name: 'www', type: 'A', content: '192.0.2.50' },
  });
  expect(status).toBe(200);
  const [{ id: change }] = (await json('changes', 'list', 'undo.example')).changes;
  const { code, err } = await zonestead('changes', 'undo', 'undo.example', String(change));
  expect([code, err]).toEqual([
    1,
    expect.stringContaining('the DNSRecord default/www in the cluster prod owns these records'),
  ]);
  expect(await contents('undo.example', 'www')).toContain('192.0.2.50');
});

test('zones delete asks before it deletes owned records, and a dry run counts them', async () => {
  const { id } = await service.zone('forced.example', admin);
  const set = { owner: 'k8s:prod/default/www', name: 'www', type: 'A', values: [{ content: '192.0.2.10' }] };
  await service.request('POST', `/zones/${id}/records:apply`, { sets: [set] });
  await zonestead('records', 'create', 'forced.example', 'free', 'A', '192.0.2.1');
  const { err } = await zonestead('zones', 'delete', 'forced.example', '--yes');
  const effect = 'this deletes forced.example with records that have owners, which may revert it: ';
  expect(err).toBe(`${effect}${owned('192.0.2.10')}${FORCE}`);
  const dry = await zonestead('zones', 'delete', 'forced.example', '--dry-run');
  expect(dry.out).toContain('with 2 records, of which 1 have owners');
  expect((await zonestead('zones', 'delete', 'forced.example', '--force')).out).toBe(
    `forced.example (${id}) is deleted\n`,
  );
});
