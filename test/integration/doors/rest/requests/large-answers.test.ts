// Lists, zone files and histories that do not fit one page: complete, consistent, and bounded in bytes.
import { describe, expect, test } from 'vitest';
import { startTestService } from '../../../../support/service/service.ts';

const service = await startTestService();
const { request, sql } = service;
const many = await service.key({ recordWrites: 1_000_000 });

/** The answer of the service, with its headers. */
async function get(path: string) {
  const answer = await fetch(`${service.url}/v1/dns${path}`, { headers: { authorization: `Bearer ${many.text}` } });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

async function zoneWith(text: string) {
  const zone = await service.zone(undefined, many);
  const headers = { 'content-type': 'text/dns' };
  const reply = await request('PUT', `/zones/${zone.id}/zonefile`, text, many.text, headers);
  expect(reply.status).toBe(200);
  return zone;
}

const lines = (count: number) =>
  Array.from({ length: count }, (_, i) => `h${i} A 10.0.${i >> 8}.${i & 255}\n`).join('');
/** Contents of 60,000 octets each. */
const texts = (count: number) =>
  Array.from({ length: count }, (_, i) => `t${i} TXT "${`${i % 10}`.repeat(60_000)}"\n`).join('');

type Listed = { id: string; name: string; content: string };
type Page = { records?: Listed[]; changes?: { id: number; after: Listed | null }[]; next?: string };

/** All pages, as lengths and as items. */
async function pagesOf(path: string, field: 'records' | 'changes') {
  const items: unknown[] = [];
  const sizes: number[] = [];
  let cursor = '';
  for (;;) {
    const { text } = await get(`${path}?limit=1000${cursor}`);
    const page = JSON.parse(text) as Page;
    sizes.push(text.length);
    items.push(...(page[field] ?? []));
    if (page.next === undefined) return { items, sizes };
    cursor = `&cursor=${page.next}`;
  }
}

describe('a zone of 2,500 records', async () => {
  const zone = await zoneWith(lines(2_500));

  test('a zone of 2,500 records is listed completely, in the order of its pages, without Content-Length', async () => {
    const { status, headers, text } = await get(`/zones/${zone.id}/records`);
    expect([status, headers.get('content-length'), headers.get('content-type')]).toEqual([
      200,
      null,
      'application/json; charset=utf-8',
    ]);
    const { records } = JSON.parse(text) as { records: Listed[] };
    expect(records).toHaveLength(2_500);
    expect(records).toEqual((await pagesOf(`/zones/${zone.id}/records`, 'records')).items);
    const some = await get(`/zones/${zone.id}/records?name=h7`);
    expect(some.headers.get('content-length')).toBe(String(some.text.length));
    expect((JSON.parse(some.text) as Page).records).toEqual(records.filter(({ name }) => name === 'h7'));
  });

  test('a zone of 2,500 records is exported completely, and the file creates the same zone', async () => {
    const { headers, text } = await get(`/zones/${zone.id}/zonefile`);
    expect(headers.get('content-length')).toBeNull();
    expect(text.split('\n').filter((line) => line.includes('\tA\t'))).toHaveLength(2_500);
    const again = await request('PUT', `/zones/${zone.id}/zonefile`, text, many.text, { 'content-type': 'text/dns' });
    expect(again.body).toMatchObject({ created: 0, updated: 0, deleted: 0, unchanged: 2_500 });
  });

  test('a zone of 2,500 records with HEAD is not read', async () => {
    const answer = await fetch(`${service.url}/v1/dns/zones/${zone.id}/records`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${many.text}` },
    });
    expect([answer.status, await answer.text()]).toEqual([200, '']);
  });

  test('a zone of 2,500 records shows one point in time, even if records are written at the same time', async () => {
    const same = (last: number) => lines(2_500).replaceAll(/A 10\..*/g, `A 192.0.2.${last}`);
    const changing = await zoneWith(same(0));
    const stop = new AbortController();
    const writing = (async () => {
      for (let turn = 1; !stop.signal.aborted; turn += 1) {
        // Every name has the same address at every point in time.
        const headers = { 'content-type': 'text/dns' };
        await request('PUT', `/zones/${changing.id}/zonefile`, same(turn % 250), many.text, headers);
      }
    })();
    try {
      for (let turn = 0; turn < 12; turn += 1) {
        const { records } = JSON.parse((await get(`/zones/${changing.id}/records`)).text) as { records: Listed[] };
        const contents = new Set(records.map(({ content }) => content));
        expect([records.length, contents.size]).toEqual([2_500, 1]);
      }
    } finally {
      stop.abort();
      await writing;
    }
  });
});

describe('a zone of 60 large records', async () => {
  const zone = await zoneWith(texts(60));

  test.each(['records', 'changes'] as const)(
    'a zone of 60 large records has pages of %s of about a megabyte, and all of them together',
    async (field) => {
      const { items, sizes } = await pagesOf(`/zones/${zone.id}/${field}`, field);
      // The first entry of the history is the creation of the zone.
      expect(items).toHaveLength(field === 'records' ? 60 : 61);
      expect(Math.max(...sizes)).toBeLessThan(1.2 * 2 ** 20);
      expect(sizes.length).toBeGreaterThanOrEqual(4);
      if (field === 'records') {
        const names = (items as Listed[]).map(({ name }) => name);
        expect(new Set(names).size).toBe(60);
      } else {
        const ids = (items as { id: number }[]).map(({ id }) => id);
        expect(ids).toEqual([...ids].sort((a, b) => b - a));
        expect(new Set(ids).size).toBe(61);
      }
    },
  );

  test('a zone of 60 large records is exported and listed completely', async () => {
    const { text } = await get(`/zones/${zone.id}/zonefile`);
    expect(text.match(/\tTXT\t/g)).toHaveLength(60);
    const list = JSON.parse((await get(`/zones/${zone.id}/records`)).text) as { records: Listed[] };
    expect(list.records.map(({ content }) => content.length)).toEqual(Array(60).fill(60_002));
  });
});

test('more zones than fit a page are listed completely, in the order of their names', async () => {
  const owner = await service.key({ team: 'large' });
  await sql`
    insert into zones (id, team_id, name, tree, state, default_ttl, serial, ds)
    select 'zone_many' || i, ${owner.team}, 'many' || i || '.example', 'example many' || i, 'active', 300, 1, '{}'
    from generate_series(1, 1200) i`;
  const reply = await request('GET', '/zones', undefined, owner.text);
  const names = (reply.body.zones as { zoneName: string }[]).map(({ zoneName }) => zoneName);
  expect([reply.status, reply.headers['content-length'], names.length]).toEqual([200, undefined, 1_200]);
  expect(names).toEqual([...names].sort());
});
