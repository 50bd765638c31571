// Records and their history on the command line, with a running service.
import { expect, test, vi } from 'vitest';
import { deleteRecords } from '#cli/records/delete.ts';
import { setRecords } from '#cli/records/set.ts';
import { updateRecord } from '#cli/records/write.ts';
import { createClient } from '#client/client.ts';
import { applyBatch, replaceRecord } from '#contract/operations/records.ts';
import { zonestead } from '../../support/program/command-line.ts';
import { on, withReplies } from '../../support/service/fake-client.ts';
import { startTestService } from '../../support/service/service.ts';

const service = await startTestService({ nameserver: false });
const admin = await service.key();
vi.stubEnv('ZONESTEAD_URL', service.url);
vi.stubEnv('ZONESTEAD_API_KEY', admin.text);
vi.stubEnv('NO_COLOR', '1');

interface Row {
  id: string;
  name: string;
  ttl: number;
  priority: number | null;
  content: string;
  comment?: string;
}

const json = async (...words: string[]) => JSON.parse((await zonestead(...words, '-o', 'json')).out);
const rows = async (zone: string, name: string): Promise<Row[]> =>
  (await json('records', 'list', zone, '--name', name)).records.sort((a: Row, b: Row) =>
    a.content < b.content ? -1 : 1,
  );
const contents = async (zone: string, name: string) => (await rows(zone, name)).map(({ content }) => content);

test('update changes only what is given', async () => {
  await service.zone('update.example', admin);
  const more = ['--ttl', '600', '--priority', '5', '--comment', 'the mail server'];
  const { id } = await json('records', 'create', 'update.example', '@', 'MX', 'mail.example.net', ...more);
  const update = (...words: string[]) => json('records', 'update', 'update.example', id, ...words);
  const stored = { id, ttl: 600, priority: 5, content: 'mail.example.net', comment: 'the mail server' };
  expect(await update('mx.example.net')).toMatchObject({ ...stored, content: 'mx.example.net' });
  expect(await update('--priority', '7')).toMatchObject({ ...stored, content: 'mx.example.net', priority: 7 });
  expect(await update('--comment', 'new')).toMatchObject({
    ttl: 600,
    priority: 7,
    content: 'mx.example.net',
    comment: 'new',
  });
  expect(await update('--no-ttl')).toMatchObject({ ttl: 3600, priority: 7, comment: 'new' });
  // A record without a TTL of its own still follows the zone after an update.
  await update('--comment', '');
  await zonestead('zones', 'update', 'update.example', '--default-ttl', '900');
  expect(await rows('update.example', '@')).toMatchObject([{ id, ttl: 900, priority: 7 }]);
  expect((await zonestead('records', 'update', 'update.example', id)).err).toContain(
    'nothing to change; give a content',
  );
  const preview = await zonestead('records', 'update', 'update.example', id, '--ttl', '60', '--dry-run');
  expect(preview.out).toBe('- @ 900 MX 7 mx.example.net\n+ @ 60 MX 7 mx.example.net\n');
  expect(await rows('update.example', '@')).toMatchObject([{ ttl: 900 }]);
});

test('create and update take the priority of an MX record before its host, as set does', async () => {
  await service.zone('priority.example', admin);
  const made = await json('records', 'create', 'priority.example', '@', 'MX', '5 mail.example.net');
  expect(made).toMatchObject({ priority: 5, content: 'mail.example.net' });
  const preview = await zonestead(
    'records',
    'create',
    'priority.example',
    'a',
    'MX',
    '6 mail.example.net',
    '--dry-run',
  );
  expect(preview.out).toBe('+ a 3600 MX 6 mail.example.net\n');
  const update = (...words: string[]) => json('records', 'update', 'priority.example', made.id, ...words);
  expect(await update('7 mx.example.net')).toMatchObject({ priority: 7, content: 'mx.example.net' });
  expect(await update('mx2.example.net')).toMatchObject({ priority: 7, content: 'mx2.example.net' });
});

test('a value that the shell split is refused with its quotes, and missing settings with their source', async () => {
  await service.zone('quotes.example', admin);
  const split = await zonestead('records', 'set', 'quotes.example', '@', 'MX', '10', 'mail.example.net');
  expect(split.err).toContain("Put a value with blanks in quotes, for instance '10 mail.example.net'.");
  vi.stubEnv('ZONESTEAD_URL', '');
  try {
    const { err } = await zonestead('zones', 'list');
    expect(err).toMatch(/ZONESTEAD_URL is missing.*"source \.local\/env" sets them/);
    // A wrong argument is named first.
    expect((await zonestead('import', 'nofile')).err).toBe('nofile cannot be read: there is no such file');
    expect((await zonestead('zones', 'apply', 'nofile')).err).toBe('nofile cannot be read: there is no such file');
  } finally {
    vi.stubEnv('ZONESTEAD_URL', service.url);
  }
});

test('set makes the records of a name and type exactly the values, and keeps ids, TTLs and comments', async () => {
  await service.zone('set.example', admin);
  const set = (...words: string[]) => zonestead('records', 'set', 'set.example', ...words);
  expect((await set('www', 'a', '192.0.2.1', '192.0.2.2', '--ttl', '60', '--dry-run')).out).toBe(
    '+ www 60 A 192.0.2.1\n+ www 60 A 192.0.2.2\n',
  );
  expect(await rows('set.example', 'www')).toEqual([]);
  expect((await set('www', 'A', '192.0.2.1', '192.0.2.2', '--ttl', '60', '--comment', 'web')).err).toBe('');
  const [first, second] = await rows('set.example', 'www');
  expect((await set('www', 'A', '192.0.2.2', '192.0.2.3')).out).toBe('- www 60 A 192.0.2.1\n+ www 60 A 192.0.2.3\n');
  expect(await rows('set.example', 'www')).toMatchObject([
    { id: second?.id, content: '192.0.2.2', ttl: 60, comment: 'web' },
    { id: first?.id, content: '192.0.2.3', ttl: 60, comment: 'web' },
  ]);
  expect((await set('www', 'A', '192.0.2.3', '192.0.2.2')).out).toBe('www A has these values already\n');
  expect((await set('@', 'MX', '10 a.example.net', '20 b.example.net')).err).toBe('');
  expect((await rows('set.example', '@')).map(({ priority }) => priority)).toEqual([10, 20]);
  expect((await set('www', 'A', 'nonsense')).err).toMatch(/^content: /);
  await set('www', 'A', '192.0.2.1', '192.0.2.2', '192.0.2.3');
  expect((await set('www', 'A', '192.0.2.3')).err).toBe(
    'this deletes 2 records of www A in set.example; repeat the command with --yes',
  );
  expect(await contents('set.example', 'www')).toHaveLength(3);
  expect((await set('www', 'A', '192.0.2.3', '--yes', '--no-ttl')).err).toBe('');
  expect(await rows('set.example', 'www')).toMatchObject([{ content: '192.0.2.3', ttl: 3600 }]);
});

test('delete takes an id, or a name and a type, and asks before it deletes several', async () => {
  await service.zone('delete.example', admin);
  const gone = (...words: string[]) => zonestead('records', 'delete', 'delete.example', ...words);
  await zonestead('records', 'set', 'delete.example', 'www', 'AAAA', '2001:db8::1', '2001:db8::2', '2001:db8::3');
  expect((await gone('www', 'AAAA')).err).toBe(
    'this deletes 3 records of www AAAA in delete.example; repeat the command with --yes',
  );
  expect((await gone('www', 'AAAA', '2001:DB8:0::1')).err).toBe('');
  expect(await contents('delete.example', 'www')).toEqual(['2001:db8::2', '2001:db8::3']);
  expect((await gone('www', 'AAAA', '--dry-run')).out).toBe(
    '- www 3600 AAAA 2001:db8::2\n- www 3600 AAAA 2001:db8::3\n',
  );
  expect(await contents('delete.example', 'www')).toHaveLength(2);
  expect((await gone('www')).err).toContain('no record www in this zone; ');
  expect((await gone('www', 'aaaa', '--yes')).err).toBe('');
  expect(await rows('delete.example', 'www')).toEqual([]);
  expect((await gone('www', 'AAAA')).err).toContain('no record matches in delete.example');
});

test('changes list says what changed, and by which key', async () => {
  const { id: zone } = await service.zone('history.example', admin);
  await zonestead('records', 'set', 'history.example', 'www', 'A', '192.0.2.1');
  await zonestead('records', 'set', 'history.example', 'www', 'A', '192.0.2.2', '--ttl', '60');
  await zonestead('records', 'set', 'history.example', '@', 'MX', '5 mail.example.net');
  await zonestead('records', 'delete', 'history.example', 'www', 'A');
  const { out } = await zonestead('changes', 'list', zone);
  const key = admin.text.split('_')[1];
  const [heading, ...lines] = out.trimEnd().split('\n');
  expect(heading).toMatch(/^ID +TIME +KEY +OWNER +UNDO +CHANGE$/);
  expect(lines.map((line) => line.replace(/^\d+ +20[\d-]+T[\d:.]+Z +/, ''))).toEqual(
    [
      'delete www A 192.0.2.2',
      'create @ MX 5 mail.example.net',
      'update www A 192.0.2.1 → 192.0.2.2 (TTL 3600 → 60)',
      'create www A 192.0.2.1',
      'create the zone',
    ].map((change) => `${key}  -      -     ${change}`),
  );
  const limited = await json('changes', 'list', 'history.example', '--limit', '2');
  expect(limited.changes.map(({ action }: { action: string }) => action)).toEqual(['record.delete', 'record.create']);
  expect((await json('changes', 'list', 'history.example', '--name', '@')).changes).toHaveLength(1);
});

test('changes undo and zones restore put records back, and a preview does not', async () => {
  const zone = 'undo.example';
  await service.zone(zone, admin);
  const serial = async () => (await json('zones', 'get', zone)).serial;
  await zonestead('records', 'set', zone, 'www', 'A', '192.0.2.1');
  const { changes } = await json('changes', 'list', zone);
  const earlier = changes[0].at;
  await zonestead('records', 'set', zone, 'www', 'A', '192.0.2.2', '--ttl', '60');
  const [{ id, requestId }] = (await json('changes', 'list', zone)).changes;
  const before = await serial();
  const lines = '- www 60 A 192.0.2.2\n+ www 3600 A 192.0.2.1\n';
  expect(await zonestead('changes', 'undo', zone, String(id), '--dry-run')).toEqual({ code: 0, out: lines, err: '' });
  expect(await serial()).toBe(before);
  expect((await zonestead('changes', 'undo', zone, '--request', requestId)).out).toBe(lines);
  expect(await rows(zone, 'www')).toMatchObject([{ content: '192.0.2.1', ttl: 3600 }]);
  expect((await zonestead('changes', 'undo', zone, String(id))).err).toContain('(409 ');
  await zonestead('records', 'set', zone, 'many', 'A', '192.0.2.1', '192.0.2.2', '192.0.2.3');
  const restore = (...words: string[]) => zonestead('zones', 'restore', zone, '--at', earlier, ...words);
  expect((await restore()).err).toBe('this deletes 3 records of undo.example; repeat the command with --yes');
  expect(await contents(zone, 'many')).toHaveLength(3);
  expect((await restore('--yes')).err).toBe('');
  expect(await contents(zone, 'many')).toEqual([]);
  expect((await restore('--dry-run')).out).toBe('nothing would change\n');
  for (const words of [[], ['x1'], ['1', '--request', 'a'], ['--key', 'k'], ['--since', earlier]]) {
    const { code, err } = await zonestead('changes', 'undo', zone, ...words);
    expect([words, code, err]).toEqual([
      words,
      1,
      expect.stringMatching(/name the changes to undo|not the id of a change/),
    ]);
  }
});

test('changes list marks the changes that undo others, and those that were undone', async () => {
  const zone = 'marks.example';
  await service.zone(zone, admin);
  const listed = async (...words: string[]) => (await json('changes', 'list', zone, ...words)).changes;
  await zonestead('records', 'set', zone, 'www', 'A', '192.0.2.1');
  const [{ id: created, at }] = await listed();
  await zonestead('changes', 'undo', zone, String(created));
  const [{ id: undo }] = await listed();
  await zonestead('changes', 'undo', zone, String(undo));
  await zonestead('records', 'set', zone, 'www', 'A', '192.0.2.2');
  await zonestead('zones', 'restore', zone, '--at', at, '--yes');
  const changes = await listed();
  const again = changes[2].id;
  expect(changes.slice(0, 5)).toMatchObject([
    { restoredTo: at },
    { action: 'record.update' },
    { undoes: [undo] },
    { undoes: [created], undoneBy: [again] },
    { id: created, undoneBy: [undo] },
  ]);
  for (const each of [0, 1, 2, 5]) expect(changes[each]).not.toHaveProperty('undoneBy');
  const { out } = await zonestead('changes', 'list', zone, '--name', 'www');
  const marks = out
    .split('\n')
    .slice(1, -1)
    .map((line) => line.split(/ {2,}/)[4]);
  expect(marks).toEqual([
    `restored to ${at}`,
    '-',
    `undoes ${undo}`,
    `undoes ${created}, undone by ${again}`,
    `undone by ${undo}`,
  ]);
});

test('zones restore without a time brings back a deleted zone', async () => {
  const zone = 'deleted.example';
  await service.zone(zone, admin);
  await zonestead('records', 'set', zone, 'www', 'A', '192.0.2.1');
  const { id, ds, owner } = await json('zones', 'get', zone);
  const exists = await zonestead('zones', 'restore', zone);
  expect(exists).toMatchObject({ code: 1, err: expect.stringContaining('say which time with --at') });
  await zonestead('zones', 'delete', zone, '--yes');
  const preview = await zonestead('zones', 'restore', zone, '--dry-run');
  expect(preview).toMatchObject({ code: 0, err: '' });
  expect(preview.out).toMatch(/^deleted\.example, deleted at \S+Z, would come back with 1 record;/);
  expect(await zonestead('zones', 'get', zone)).toMatchObject({ code: 1 });
  const { zones } = await json('zones', 'deleted');
  expect(zones).toEqual([
    { zoneId: id, zoneName: zone, owner, deletedAt: expect.any(String), until: expect.any(String), records: 1 },
  ]);
  expect(preview.out).toContain(`possible until ${zones[0].until}`);
  const [head, line] = (await zonestead('zones', 'deleted')).out.split('\n');
  expect(head?.split(/ {2,}/)).toEqual(['ZONE', 'RECORDS', 'DELETED AT', 'UNTIL', 'OWNER', 'ID']);
  expect(line?.split(/ +/)).toEqual([zone, '1', zones[0].deletedAt, zones[0].until, owner, id]);
  const restored = await zonestead('zones', 'restore', zone);
  expect(restored).toMatchObject({ code: 0, out: 'deleted.example is back with 1 record and the same DNSSEC key\n' });
  expect(await json('zones', 'get', zone)).toMatchObject({ id, ds });
  expect((await json('zones', 'deleted')).zones).toEqual([]);
  expect(await contents(zone, 'www')).toEqual(['192.0.2.1']);
  expect((await zonestead('zones', 'restore', 'never.example')).err).toContain('(404 ');
});

test('--if-match changes a record only if it still has the ETag that the list printed', async () => {
  await service.zone('etag.example', admin);
  const { id } = await json('records', 'create', 'etag.example', 'www', 'A', '192.0.2.1');
  const etag = async () => (await json('records', 'list', 'etag.example', '--etags')).records[0].etag as string;
  const seen = await etag();
  expect((await zonestead('records', 'list', 'etag.example', '--etags')).out).toContain(seen);
  await zonestead('records', 'update', 'etag.example', id, '192.0.2.2');
  const refused = await zonestead('records', 'update', 'etag.example', id, '192.0.2.3', '--if-match', seen);
  expect([refused.code, refused.err]).toEqual([1, expect.stringMatching(/changed since you read it.*412/)]);
  expect((await zonestead('records', 'delete', 'etag.example', id, '--if-match', seen)).err).toContain('412');
  expect(await contents('etag.example', 'www')).toEqual(['192.0.2.2']);
  expect((await zonestead('records', 'delete', 'etag.example', id, '--if-match', await etag())).err).toBe('');
});

test('a record that another client changes between the read and the write of a command is not overwritten', async () => {
  const zone = await service.zone('between.example', admin);
  const { id } = await json('records', 'create', 'between.example', 'www', 'A', '192.0.2.1');
  await json('records', 'create', 'between.example', 'www', 'A', '192.0.2.2');
  const client = createClient({ baseUrl: service.url, key: admin.text });
  let comments = 0;
  /** Another client writes a comment right before each write of the command. */
  const first = (operation: typeof replaceRecord | typeof applyBatch) =>
    on(operation, async (input, options) => {
      comments += 1;
      const body = { name: 'www', type: 'A', content: '192.0.2.1', comment: String(comments) } as const;
      await client.call(replaceRecord, { params: { id: zone.id, recordId: id }, body });
      return client.call(operation, input, options);
    });
  const crossed = withReplies(client, first(replaceRecord), first(applyBatch));
  const session = {
    client: crossed,
    signal: new AbortController().signal,
    format: 'table' as const,
    print: () => undefined,
    warn: () => undefined,
  };
  const answers = [
    () => updateRecord(session, 'between.example', id, { ttl: 60, content: undefined }),
    () => setRecords(session, 'between.example', { name: 'www', type: 'A', values: ['192.0.2.9'] }, { yes: true }),
    () => deleteRecords(session, 'between.example', { name: 'www', type: 'A', content: undefined }, { yes: true }),
  ];
  for (const answer of answers) await expect(answer()).rejects.toMatchObject({ status: 412 });
  await client.close();
  expect(await rows('between.example', 'www')).toMatchObject([
    { content: '192.0.2.1', comment: '3', ttl: 3600 },
    { content: '192.0.2.2' },
  ]);
});

test('a dry run of a wrong record says what is wrong with it', async () => {
  await service.zone('dry.example', admin);
  const { err } = await zonestead('records', 'create', 'dry.example', '@', 'MX', '10 mail', '--dry-run');
  expect(err).toBe(
    'content: The target "mail" is a single label: write the whole name, or "mail." if the top-level name is meant.',
  );
});

test('--reverse writes the PTR record, a list shows it, and --no-reverse removes it', async () => {
  const [zone, reverse] = ['reverse.example', '2.0.192.in-addr.arpa'];
  await service.zone(zone, admin);
  await service.zone(reverse, admin);
  const created = await zonestead('records', 'create', zone, 'www', 'A', '192.0.2.10', '--reverse');
  expect(created.out).toContain('www 3600 A 192.0.2.10 (PTR) is created');
  await zonestead('records', 'create', zone, 'web', 'A', '192.0.2.10', '--reverse');
  const lines = (await zonestead('records', 'list', zone)).out;
  expect(lines).toMatch(/NAME .* REVERSE +CONTENT/);
  expect(lines).toMatch(/web .* no PTR: OtherName +192\.0\.2\.10/);
  expect((await zonestead('records', 'list', reverse)).out).toMatch(
    /10 .* PTR of 192\.0\.2\.10 +www\.reverse\.example/,
  );
  const [row] = await rows(zone, 'www');
  const update = (...words: string[]) => zonestead('records', 'update', zone, row?.id ?? '', ...words);
  // Another option leaves it as it is.
  await update('--tier', '1');
  expect((await rows(zone, 'www'))[0]).toMatchObject({ tier: 1, reverse: true, reverseState: 'Written' });
  expect((await update('--no-reverse', '--dry-run')).out).toBe('~ www A 192.0.2.10: tier 1, PTR -> tier 1\n');
  await update('--no-reverse');
  expect((await rows(zone, 'www'))[0]).not.toHaveProperty('reverse');
  expect(await contents(reverse, '10')).toEqual(['web.reverse.example']);
});
