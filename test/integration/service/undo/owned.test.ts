// POST /zones/{id}:restore with records of owners: they stay as they are, the answer says what to change in Kubernetes,
// and the other records become as they were.
import { expect, test } from 'vitest';
import { refusal } from '../../../support/http/requests.ts';
import { startTestService } from '../../../support/service/service.ts';
import { undoZone } from '../../../support/service/undo.ts';

const service = await startTestService({ nameserver: false });
const { sql } = service;

/** A time after all changes so far and before all later ones, by the clock of the database. */
async function moment(): Promise<string> {
  const times = async () => new Date((await sql<{ now: string }[]>`select now() as now`)[0]?.now ?? 0).getTime();
  const at = (await times()) + 1;
  await expect.poll(times, { interval: 1 }).toBeGreaterThan(at);
  return new Date(at).toISOString();
}

const WEB = 'k8s:prod/shop/web';
const web = 'the DNSRecord shop/web in the cluster prod';

test('records of an owner stay as they are, and the answer says what to change there', async () => {
  const zone = await undoZone(service);
  await zone.own(WEB, 'www', ['192.0.2.1', '192.0.2.2']);
  await zone.own('k8s:prod/shop/gone', 'gone', ['192.0.2.3']);
  await zone.own('tool:terraform', 'infra', ['192.0.2.4']);
  const mine = await zone.add('mine', 'TXT', '"here"');
  const at = await moment();
  await zone.own(WEB, 'www', ['192.0.2.2', '192.0.2.9']);
  await zone.own('k8s:prod/shop/gone', 'gone', []);
  await zone.own('k8s:prod/shop/new', 'new', ['192.0.2.5']);
  await zone.own('tool:terraform', 'infra', ['192.0.2.6']);
  await zone.drop(mine);
  const { differences, conflicts, owned, total } = await zone.restored({ at, dryRun: true });
  expect([differences, conflicts]).toMatchObject([[{ name: 'mine', type: 'TXT', before: [] }], []]);
  expect(total).toEqual({ differences: 1, conflicts: 0, owned: 4 });
  const told = Object.fromEntries(owned.map(({ name, type, owner, message }) => [`${name} ${type} ${owner}`, message]));
  const of = (name: string) => `the DNSRecord shop/${name} in the cluster prod`;
  expect(told).toEqual({
    [`www A ${WEB}`]: `${web} owns these records. Set its values in Kubernetes to 192.0.2.2, 192.0.2.1.`,
    'gone A k8s:prod/shop/gone': `${of('gone')} changed these records. Apply it again in Kubernetes with 192.0.2.3.`,
    'new A k8s:prod/shop/new': `${of('new')} owns these records. Delete ${of('new')}.`,
    'infra A tool:terraform':
      'tool:terraform owns these records. Change them there, to 192.0.2.4, or release them first with "zonestead owners release".',
  });
  const others = (await zone.records()).filter((line) => !line.startsWith('mine'));
  const answer = await zone.restored({ at });
  expect(answer).toEqual({ dryRun: false, serial: await zone.serial(), differences, conflicts, owned, total });
  expect(await zone.records()).toEqual([...others, 'mine TXT 3600 "here"'].sort());
  // The owners do as the answer says, and then nothing is left to restore.
  await zone.own(WEB, 'www', ['192.0.2.2', '192.0.2.1']);
  await zone.own('k8s:prod/shop/gone', 'gone', ['192.0.2.3']);
  await zone.own('k8s:prod/shop/new', 'new', []);
  await zone.own('tool:terraform', 'infra', ['192.0.2.4']);
  const again = await zone.restored({ at, dryRun: true });
  expect(again.total).toEqual({ differences: 0, conflicts: 0, owned: 0 });
});

test('records of an owner and of others at one name and type: those of the others become as they were', async () => {
  const zone = await undoZone(service);
  await zone.own(WEB, 'www', ['192.0.2.1']);
  const mine = await zone.add('www', 'A', '192.0.2.50', { comment: 'by hand' });
  const at = await moment();
  await zone.own(WEB, 'www', ['192.0.2.2']);
  await zone.put(mine, { name: 'www', type: 'A', content: '192.0.2.51' });
  await zone.add('www', 'A', '192.0.2.52');
  const { differences, owned } = await zone.restored({ at });
  const contents = (values: { content: string }[] = []) => values.map(({ content }) => content).sort();
  expect(contents(differences[0]?.before)).toEqual(['192.0.2.2', '192.0.2.51', '192.0.2.52']);
  expect(contents(differences[0]?.after)).toEqual(['192.0.2.2', '192.0.2.50']);
  expect(owned).toMatchObject([{ message: expect.stringContaining('to 192.0.2.1.') }]);
  expect(await zone.records()).toEqual(['www A 3600 192.0.2.2', 'www A 3600 192.0.2.50 (by hand)']);
  // The record of the owner is still its own.
  await zone.own(WEB, 'www', []);
  expect(await zone.records()).toEqual(['www A 3600 192.0.2.50 (by hand)']);
});

test('a TTL that an owner changed is named', async () => {
  const zone = await undoZone(service);
  await zone.own(WEB, 'www', ['192.0.2.1'], { ttl: 60 });
  const at = await moment();
  await zone.own(WEB, 'www', ['192.0.2.1'], { ttl: 300 });
  const { owned } = await zone.restored({ at, dryRun: true });
  expect(owned).toMatchObject([{ message: expect.stringMatching(/to 192\.0\.2\.1 with the TTL 60\.$/) }]);
});

test('challenges of ACME are left alone silently', async () => {
  const zone = await undoZone(service);
  const { zoneName } = (await service.request('GET', zone.path)).body;
  const authorization = `Basic ${Buffer.from(`any:${(await service.key()).text}`).toString('base64')}`;
  const headers = { authorization, 'content-type': 'application/json' };
  const challenge = async (path: string, letter: string) => {
    const body = JSON.stringify({ fqdn: `_acme-challenge.${zoneName}`, value: letter.repeat(43) });
    expect((await fetch(`${service.url}/acme/httpreq/${path}`, { method: 'POST', headers, body })).status).toBe(200);
  };
  const solved = (value: string, letter: string) =>
    zone.own(`k8s:prod/shop/acme-${letter.repeat(32)}`, '_acme-challenge', value === '' ? [] : [value], {
      type: 'TXT',
    });
  await challenge('present', 'a');
  await solved('"first"', 'a');
  const mine = await zone.add('mine', 'A', '192.0.2.1');
  const at = await moment();
  await challenge('cleanup', 'a');
  await challenge('present', 'b');
  await solved('', 'a');
  await solved('"second"', 'b');
  const now = await zone.records();
  await zone.drop(mine);
  const { total } = await zone.restored({ at });
  expect(total).toEqual({ differences: 1, conflicts: 0, owned: 0 });
  expect(await zone.records()).toEqual(now);
});

test('records that an owner released and left are restored like those without an owner, by an undo as well', async () => {
  const zone = await undoZone(service);
  await zone.own('tool:terraform', 'www', ['192.0.2.1']);
  const at = await moment();
  await zone.own('tool:terraform', 'www', ['192.0.2.2']);
  const [update] = await zone.ids();
  expect(refusal(await zone.undo({ changes: [update] }))).toBe('409 conflict');
  await zone.own('tool:terraform', 'www', [], { retain: true });
  expect((await zone.restored({ at, dryRun: true })).total).toEqual({ differences: 1, conflicts: 0, owned: 0 });
  await zone.undone({ changes: [update] });
  expect(await zone.records()).toEqual(['www A 3600 192.0.2.1']);
});

test('a value that an owner has by now is not written a second time', async () => {
  const zone = await undoZone(service);
  const mine = await zone.add('www', 'A', '192.0.2.1');
  const at = await moment();
  await zone.drop(mine);
  await zone.own(WEB, 'www', ['192.0.2.1']);
  expect((await zone.restored({ at })).differences).toEqual([]);
  expect(await zone.records()).toEqual(['www A 3600 192.0.2.1']);
});

interface Clash {
  /** The records at the time of the restore, as name, type and content; they are deleted after it. */
  mine: [string, string, string][];
  /** The set that the owner applies then. */
  owner: { name: string; type: string; content: string };
  /** The conflicts: name, type, and words of the message. */
  named: [string, string, string][];
}

test.each<[string, Clash]>([
  [
    'a CNAME at a name where an owner has an address',
    {
      mine: [['www', 'CNAME', 'elsewhere.example.']],
      owner: { name: 'www', type: 'A', content: '192.0.2.1' },
      named: [['www', 'CNAME', `www has an A record (rec_`]],
    },
  ],
  [
    'an address at a name where an owner has a CNAME',
    {
      mine: [['www', 'A', '192.0.2.1']],
      owner: { name: 'www', type: 'CNAME', content: 'elsewhere.example.' },
      named: [['www', 'A', 'which allows no other record at its name']],
    },
  ],
  [
    'a delegation above a name of an owner',
    {
      mine: [['sub', 'NS', 'ns.elsewhere.example.']],
      owner: { name: 'www.sub', type: 'A', content: '192.0.2.1' },
      named: [['www.sub', 'A', 'is delegated by NS records']],
    },
  ],
  [
    'a name below a delegation of an owner',
    {
      mine: [['www.sub', 'A', '192.0.2.1']],
      owner: { name: 'sub', type: 'NS', content: 'ns.elsewhere.example.' },
      named: [['www.sub', 'A', 'is delegated by NS records']],
    },
  ],
  [
    'an alias that leads to an alias of an owner and back, over one that was not changed',
    {
      mine: [['a', 'CNAME', 'between.%']],
      owner: { name: 'b', type: 'CNAME', content: 'a.%' },
      named: [['a', 'CNAME', 'loop']],
    },
  ],
])('a conflict is named, and nothing is written: %s', async (_words, { mine, owner, named }) => {
  const zone = await undoZone(service);
  const zoneName = String((await service.request('GET', zone.path)).body.zoneName);
  const full = (content: string) => content.replace('%', `${zoneName}.`);
  await zone.add('between', 'CNAME', full('b.%'));
  const other = await zone.add('other', 'A', '192.0.2.99');
  const ids = [];
  for (const [name, type, content] of mine) ids.push(await zone.add(name, type, full(content)));
  const at = await moment();
  for (const id of [...ids, other]) await zone.drop(id);
  await zone.own(WEB, owner.name, [full(owner.content)], { type: owner.type });
  const before = [await zone.records(), await zone.serial()];
  const { conflicts } = await zone.restored({ at, dryRun: true });
  expect(conflicts.map(({ name, type }) => [name, type])).toContainEqual(named[0]?.slice(0, 2));
  for (const [name, type, words] of named) {
    const { message } = conflicts.find((each) => each.name === name && each.type === type) ?? {};
    expect(message).toContain(words);
    if (words !== 'loop') expect(message).toContain(web);
  }
  const refused = await zone.restore({ at });
  expect([refusal(refused), refused.body.message]).toEqual([
    '409 conflict',
    expect.stringContaining(named[0]?.[2] ?? ''),
  ]);
  expect([await zone.records(), await zone.serial()]).toEqual(before);
});

test('a DS that comes back needs the NS records that an owner removed', async () => {
  const zone = await undoZone(service);
  await zone.own(WEB, 'sub', ['ns.elsewhere.example.'], { type: 'NS' });
  const ds = await zone.add('sub', 'DS', `1 13 2 ${'ab'.repeat(32)}`);
  const at = await moment();
  await zone.drop(ds);
  await zone.own(WEB, 'sub', [], { type: 'NS' });
  const { conflicts, owned } = await zone.restored({ at, dryRun: true });
  expect(conflicts).toMatchObject([{ name: 'sub', type: 'DS', message: expect.stringContaining('needs NS records') }]);
  expect(owned).toMatchObject([{ name: 'sub', type: 'NS' }]);
  expect(refusal(await zone.restore({ at }))).toBe('409 conflict');
  await zone.own(WEB, 'sub', ['ns.elsewhere.example.'], { type: 'NS' });
  expect((await zone.restored({ at })).total).toEqual({ differences: 1, conflicts: 0, owned: 0 });
});
