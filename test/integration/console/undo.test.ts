// Undo and restore in the console: the preview with differences and conflicts, the confirmation, and the result.
import { describe, expect, test } from 'vitest';
import { startConsoleService, type Visit, visit, words } from '../../support/console/console.ts';
import { addPerson } from '../../support/service/people.ts';

const service = await startConsoleService({ nameserver: false });
const ada = await addPerson(service, { team: 'red', email: 'ada@example.org' });
const eve = await addPerson(service, { team: 'blue' });
const red = await service.key({ team: 'red' });
const browser: Visit = visit(service);
await browser.signIn(ada.text);

let zones = 0;
async function newZone() {
  const { id } = await service.zone(`undo${++zones}.example`, red);
  return { id, home: `/console/zones/${id}` };
}
const send = (zone: { id: string }, method: 'POST' | 'PUT', path: string, body: object) =>
  service.request(method, `/zones/${zone.id}${path}`, body, red.text);
const put = async (zone: { id: string }, name: string, content: string) =>
  (await send(zone, 'POST', '/records', { name, type: 'A', content })).body.id as string;
const records = async (zone: { id: string }) => {
  const { body } = await service.request('GET', `/zones/${zone.id}/records`, undefined, red.text);
  return (body.records as { name: string; content: string }[]).map(({ name, content }) => `${name} ${content}`);
};
/** The addresses of links on the first page of the history, the newest change first. */
const linksOf = async (zone: { home: string }, link: RegExp) => {
  const { text } = await browser.get(`${zone.home}/history`);
  return [...text.matchAll(link)].map(([, address = '']) => address.replaceAll('&amp;', '&'));
};
const links = (zone: { home: string }) => linksOf(zone, /class="undo"><a href="([^"]*)"/g);
const moments = (zone: { home: string }) => linksOf(zone, /<a href="([^"]*)">Restore the zone to this moment/g);
const ofKey = (zone: { home: string }) => linksOf(zone, /<a href="([^"]*)">Undo all changes of this key since then/g);
const fieldsOf = (text: string) =>
  Object.fromEntries(
    [...text.matchAll(/type="hidden" name="(change|requestId|keyId|since|at|seen|_once)" value="([^"]*)"/g)].map(
      ([, name, value]) => [name, value],
    ),
  ) as Record<string, string>;

test('an undo is previewed, confirmed, and marked in the history', async () => {
  const zone = await newZone();
  const id = await put(zone, 'www', '192.0.2.1');
  await send(zone, 'PUT', `/records/${id}`, { name: 'www', type: 'A', content: '192.0.2.2' });
  const preview = await browser.get((await links(zone))[0] ?? '');
  expect(preview.status).toBe(200);
  expect(preview.text).toMatch(/<del>192\.0\.2\.2 \(3600 s\)<\/del>[\s\S]*<ins>192\.0\.2\.1 \(3600 s\)<\/ins>/);
  expect(await records(zone)).toEqual(['www 192.0.2.2']);
  const done = await browser.post(`${zone.home}/undo`, fieldsOf(preview.text));
  expect([done.status, done.location]).toEqual([303, `${zone.home}/history`]);
  expect(await records(zone)).toEqual(['www 192.0.2.1']);
  const text = words((await browser.get(`${zone.home}/history`)).text);
  expect(text).toContain('Undone: the records of one name and type are as before.');
  expect(text).toMatch(
    /Changed A www content 192\.0\.2\.2 → 192\.0\.2\.1 by ada@example\.org \(console\) · just now undo .*Changed A www content 192\.0\.2\.1 → 192\.0\.2\.2 .* just now undone /,
  );
});

test('an undo makes the differences that the page showed, or asks again', async () => {
  const zone = await newZone();
  const id = await put(zone, 'www', '192.0.2.1');
  await service.request('DELETE', `/zones/${zone.id}/records/${id}`, undefined, red.text);
  const [address = ''] = await links(zone);
  const preview = await browser.get(address);
  // Another record of the zone does not matter.
  await put(zone, 'other', '192.0.2.9');
  // The default TTL is a part of the difference.
  await service.request('PATCH', `/zones/${zone.id}`, { defaultTtl: 600 }, red.text);
  const refused = await browser.post(`${zone.home}/undo`, fieldsOf(preview.text));
  expect([refused.status, words(refused.text)]).toEqual([
    412,
    expect.stringMatching(/nothing was changed.*192\.0\.2\.1/),
  ]);
  await put(zone, 'third', '192.0.2.9');
  expect((await browser.post(`${zone.home}/undo`, fieldsOf(refused.text))).status).toBe(303);
  expect(await records(zone)).toContain('www 192.0.2.1');
});

test('an undo that is sent twice is done once', async () => {
  const zone = await newZone();
  await put(zone, 'www', '192.0.2.1');
  const { text } = await browser.get((await links(zone))[0] ?? '');
  for (let time = 0; time < 2; time += 1)
    expect((await browser.post(`${zone.home}/undo`, fieldsOf(text))).status).toBe(303);
  expect(await records(zone)).toEqual([]);
  expect(await links(zone)).toHaveLength(2);
});

test('an undo puts back all changes of a request', async () => {
  const zone = await newZone();
  const changes = ['a', 'b'].map((name) => ({ action: 'create', record: { name, type: 'A', content: '192.0.2.9' } }));
  await send(zone, 'POST', '/records:batch', { changes, atomic: true });
  const [address = ''] = await links(zone);
  expect(address).toContain('requestId=');
  const { text } = await browser.get(address);
  for (const name of ['a', 'b']) expect(words(text)).toContain(`${name} A 192.0.2.9`);
  await browser.post(`${zone.home}/undo`, fieldsOf(text));
  expect(await records(zone)).toEqual([]);
});

test('an undo puts back all changes of a key since a time', async () => {
  const zone = await newZone();
  await put(zone, 'first', '192.0.2.1');
  const other = await service.key({ team: 'red' });
  for (const name of ['a', 'b']) {
    // A change of another key between them stays.
    await put(zone, `${name}-stays`, '192.0.2.8');
    const record = { name, type: 'A', content: '192.0.2.9' };
    await service.request('POST', `/zones/${zone.id}/records`, record, other.text);
  }
  const addresses = await ofKey(zone);
  const address = addresses.filter((each) => each.includes(other.id)).at(-1) ?? '';
  const { text } = await browser.get(address);
  expect(words(text)).toMatch(/by the team with the key test since 20[\d-]+ [\d:]+ UTC\?.* b A .* a A /);
  expect(text).not.toContain('stays A');
  expect(text).toMatch(/history" aria-current="page"/);
  // The name of a key without changes in this zone is not told.
  const foreign = await service.key({ team: 'blue' });
  const { text: none } = await browser.get(`${zone.home}/undo?keyId=${foreign.id}&since=2026-01-01T00:00:00Z`);
  expect(words(none)).toContain(`by the key ${foreign.id} since`);
  expect((await browser.post(`${zone.home}/undo`, fieldsOf(text))).status).toBe(303);
  expect((await records(zone)).sort()).toEqual(['a-stays 192.0.2.8', 'b-stays 192.0.2.8', 'first 192.0.2.1']);
  for (const query of [`keyId=${other.id}`, `keyId=${other.id}&since=now`])
    expect((await browser.get(`${zone.home}/undo?${query}`)).status).toBe(400);
});

test('an undo with a conflict names it, and offers no confirmation', async () => {
  const zone = await newZone();
  const id = await put(zone, 'www', '192.0.2.1');
  await send(zone, 'PUT', `/records/${id}`, { name: 'www', type: 'A', content: '192.0.2.2' });
  const { text } = await browser.get((await links(zone))[1] ?? '');
  expect(words(text)).toMatch(/www A : the later change \d+ by the key .* wrote the same records/);
  expect(text).not.toContain('>Undo</button>');
  const refused = await browser.post(`${zone.home}/undo`, fieldsOf(text));
  expect([refused.status, words(refused.text)]).toEqual([409, expect.stringContaining('wrote the same records')]);
  expect(await records(zone)).toEqual(['www 192.0.2.2']);
});

test('an undo without a known change is refused with a sentence', async () => {
  const zone = await newZone();
  const refused = async (query: string) => {
    const { status, text } = await browser.get(`${zone.home}/undo${query}`);
    return [status, words(text)];
  };
  expect(await refused('?change=999999999')).toEqual([404, expect.stringContaining('has no change 999999999')]);
  for (const query of ['', '?change=x', '?change=<b>', '?requestId=%00']) expect((await refused(query))[0]).toBe(400);
});

test('an undo is not possible in a zone of another team', async () => {
  const zone = await newZone();
  await put(zone, 'www', '192.0.2.1');
  const [address = ''] = await links(zone);
  const other = visit(service);
  await other.signIn(eve.text);
  expect((await other.get(address)).status).toBe(404);
  expect((await other.post(`${zone.home}/undo`, { change: address.replace(/.*=/, '') })).status).toBe(404);
  expect(await records(zone)).toEqual(['www 192.0.2.1']);
});

describe('a restore to a time', () => {
  const restore = (zone: { home: string }, text: string) => browser.post(`${zone.home}/restore`, fieldsOf(text));
  const own = (zone: { id: string }, name: string, content: string) =>
    send(zone, 'POST', '/records:apply', {
      sets: [{ owner: 'k8s:prod/shop/web', name, type: 'A', values: [{ content }] }],
      atomic: true,
    });

  test('a restore to a time is previewed, confirmed once, and marked in the history', async () => {
    const zone = await newZone();
    const id = await put(zone, 'www', '192.0.2.1');
    const [address = ''] = await moments(zone);
    await send(zone, 'PUT', `/records/${id}`, { name: 'www', type: 'A', content: '192.0.2.2' });
    await put(zone, 'new', '192.0.2.3');
    const preview = await browser.get(address);
    expect(preview.text).toMatch(/<del>192\.0\.2\.2 \(3600 s\)<\/del>[\s\S]*<ins>192\.0\.2\.1 \(3600 s\)<\/ins>/);
    expect(words(preview.text)).toContain('The records of 2 names and types change.');
    expect(await records(zone)).toHaveLength(2);
    for (let time = 0; time < 2; time += 1) {
      const done = await restore(zone, preview.text);
      expect([done.status, done.location]).toEqual([303, `${zone.home}/history`]);
    }
    expect(await records(zone)).toEqual(['www 192.0.2.1']);
    const text = words((await browser.get(`${zone.home}/history`)).text);
    expect(text).toContain('Restored: the records of 2 names and types are as they were at that time.');
    expect(text.match(/restored to 20[\d-]+ [\d:]+ UTC/g)).toHaveLength(1);
    // The field of the page has the same time without its zone.
    const field = /type="datetime-local" value="([^"]*)"|name="at"[^>]* value="([^"Z]*)"/.exec(preview.text);
    const typed = field?.slice(1).find((each) => each !== undefined) ?? '';
    expect(`${typed}Z`).toBe(new URL(address, service.url).searchParams.get('at')?.replace('.000Z', 'Z'));
    const again = await browser.get(`${zone.home}/restore?at=${typed}`);
    expect(words(again.text)).toContain('There is nothing to restore.');
    expect(again.text).not.toContain('>Restore</button>');
  });

  test('a restore to a time makes the differences that the page showed, or asks again', async () => {
    const zone = await newZone();
    const [address = ''] = await moments(zone);
    await put(zone, 'www', '192.0.2.1');
    const { text } = await browser.get(address);
    // A record of an owner is not part of the difference.
    await own(zone, 'owned', '192.0.2.8');
    await put(zone, 'later', '192.0.2.2');
    const refused = await restore(zone, text);
    expect([refused.status, words(refused.text)]).toEqual([412, expect.stringMatching(/nothing was changed.*later A/)]);
    expect(await records(zone)).toHaveLength(3);
    // A form without the differences that a person saw is refused as well.
    const { seen: _, ...blind } = fieldsOf(refused.text);
    expect((await browser.post(`${zone.home}/restore`, blind)).status).toBe(412);
    await own(zone, 'second', '192.0.2.8');
    expect((await restore(zone, refused.text)).status).toBe(303);
    expect((await records(zone)).sort()).toEqual(['owned 192.0.2.8', 'second 192.0.2.8']);
  });

  test('a restore to a time names the records of owners with the change that brings them back', async () => {
    const zone = await newZone();
    await own(zone, 'web', '192.0.2.1');
    await put(zone, 'www', '192.0.2.5');
    const [address = ''] = await moments(zone);
    await own(zone, 'web', '192.0.2.2');
    await put(zone, 'more', '192.0.2.6');
    const { text } = await browser.get(address);
    expect(words(text)).toMatch(/web A : the DNSRecord shop\/web .*Set its values in Kubernetes to 192\.0\.2\.1\./);
    expect((await restore(zone, text)).status).toBe(303);
    expect((await records(zone)).sort()).toEqual(['web 192.0.2.2', 'www 192.0.2.5']);
    expect((await browser.get(`${zone.home}/history`)).text).toContain(
      'Those of owners at one name and type stay as they are.',
    );
  });

  test('a restore to a time names conflicts and offers no confirmation', async () => {
    const zone = await newZone();
    const id = await put(zone, 'www.below', '192.0.2.1');
    const [address = ''] = await moments(zone);
    await service.request('DELETE', `/zones/${zone.id}/records/${id}`, undefined, red.text);
    const { zoneName } = (await service.request('GET', `/zones/${zone.id}`, undefined, red.text)).body;
    await service.zone(`below.${zoneName}`, red);
    const { text } = await browser.get(address);
    expect(words(text)).toMatch(/nothing can be restored: .*www\.below A : the zone below\./);
    expect(text).not.toContain('>Restore</button>');
    const refused = await restore(zone, text);
    expect([refused.status, words(refused.text)]).toEqual([409, expect.stringContaining('has this name now')]);
    expect(await records(zone)).toEqual([]);
  });

  test('a restore to a time with many differences shows the first ones and their number', async () => {
    const zone = await newZone();
    const [address = ''] = await moments(zone);
    const create = (at: number) => ({
      action: 'create',
      record: { name: `h${at}`, type: 'A', content: '192.0.2.9' },
    });
    for (const from of [0, 600]) {
      const changes = Array.from({ length: 600 }, (_, at) => create(from + at));
      expect((await send(zone, 'POST', '/records:batch', { changes })).status).toBe(200);
    }
    const { text } = await browser.get(address);
    expect(words(text)).toContain('The records of 1,200 names and types change. The first 100 of 1,200 are listed.');
    expect(text.match(/<del>/g)).toHaveLength(100);
    expect(Buffer.byteLength(text)).toBeLessThan(200_000);
    // The list of the service ends before the last difference, so any other change of the zone makes a new preview.
    await own(zone, 'owned', '192.0.2.8');
    const refused = await restore(zone, text);
    expect(refused.status).toBe(412);
    expect((await restore(zone, refused.text)).status).toBe(303);
    expect(await records(zone)).toEqual(['owned 192.0.2.8']);
  });

  test('a restore to a time that is wrong, in the future or beyond the history is refused at the field', async () => {
    const zone = await newZone();
    await put(zone, 'www', '192.0.2.1');
    const refused = async (at: string) => {
      const { status, text } = await browser.get(`${zone.home}/restore?at=${encodeURIComponent(at)}`);
      expect(text).not.toContain('>Restore</button>');
      return [status, words(text)];
    };
    expect(await refused('yesterday')).toEqual([400, expect.stringContaining('Must be a time in ISO 8601')]);
    expect(await refused('2999-01-01T00:00')).toEqual([400, expect.stringContaining('later than now')]);
    expect(await refused('2020-01-01T00:00:00Z')).toEqual([400, expect.stringContaining('was created at')]);
    const now = new Date().toISOString();
    await service.sql`delete from changes where zone_id = ${zone.id} and action = 'zone.create'`;
    await service.sql`insert into history_pruned (kind, owner, at) values ('zones', ${red.team}, ${now}::timestamptz)`;
    const [beyond = ''] = await moments(zone);
    const { text, status } = await browser.get(beyond);
    expect([status, words(text)]).toEqual([400, expect.stringMatching(/complete only after .*ZONESTEAD_HISTORY_DAYS/)]);
    await service.sql`delete from history_pruned`;
    expect(await records(zone)).toEqual(['www 192.0.2.1']);
    const empty = await browser.get(`${zone.home}/restore`);
    expect([empty.status, words(empty.text)]).toEqual([200, expect.stringContaining('Show the difference')]);
  });

  test('a restore to a time is not possible in a zone of another team', async () => {
    const zone = await newZone();
    const [address = ''] = await moments(zone);
    await put(zone, 'www', '192.0.2.1');
    const other = visit(service);
    await other.signIn(eve.text);
    expect((await other.get(address)).status).toBe(404);
    const { text } = await browser.get(address);
    expect((await other.post(`${zone.home}/restore`, fieldsOf(text))).status).toBe(404);
    expect(await records(zone)).toEqual(['www 192.0.2.1']);
  });
});
