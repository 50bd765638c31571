// Undo in the console: the preview with differences and conflicts, the confirmation, and the result.
import { describe, expect, it } from 'vitest';
import { startConsoleService, type Visit, visit, words } from '../../support/console.ts';
import { addPerson } from '../../support/people.ts';

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
/** The addresses of the links to undo on the first page of the history, the newest change first. */
const links = async (zone: { home: string }) => {
  const { text } = await browser.get(`${zone.home}/history`);
  const list = [...text.matchAll(/class="undo"><a href="([^"]*)"/g)];
  return list.map(([, address = '']) => address.replaceAll('&amp;', '&'));
};
const fieldsOf = (text: string) =>
  Object.fromEntries(
    [...text.matchAll(/type="hidden" name="(change|requestId|seen|_once)" value="([^"]*)"/g)].map(([, name, value]) => [
      name,
      value,
    ]),
  ) as Record<string, string>;

describe('an undo', () => {
  it('is previewed, confirmed, and marked in the history', async () => {
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
      /Changed A www content 192\.0\.2\.2 → 192\.0\.2\.1 by ada@example\.org \(console\) · just now undo/,
    );
  });

  it('makes the differences that the page showed, or asks again', async () => {
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
      expect.stringMatching(/nothing was undone.*192\.0\.2\.1/),
    ]);
    await put(zone, 'third', '192.0.2.9');
    expect((await browser.post(`${zone.home}/undo`, fieldsOf(refused.text))).status).toBe(303);
    expect(await records(zone)).toContain('www 192.0.2.1');
  });

  it('that is sent twice is done once', async () => {
    const zone = await newZone();
    await put(zone, 'www', '192.0.2.1');
    const { text } = await browser.get((await links(zone))[0] ?? '');
    for (let time = 0; time < 2; time += 1)
      expect((await browser.post(`${zone.home}/undo`, fieldsOf(text))).status).toBe(303);
    expect(await records(zone)).toEqual([]);
    expect(await links(zone)).toHaveLength(2);
  });

  it('puts back all changes of a request', async () => {
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

  it('with a conflict names it, and offers no confirmation', async () => {
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

  it('without a known change is refused with a sentence', async () => {
    const zone = await newZone();
    const refused = async (query: string) => {
      const { status, text } = await browser.get(`${zone.home}/undo${query}`);
      return [status, words(text)];
    };
    expect(await refused('?change=999999999')).toEqual([404, expect.stringContaining('has no change 999999999')]);
    for (const query of ['', '?change=x', '?change=<b>', '?requestId=%00']) expect((await refused(query))[0]).toBe(400);
  });

  it('is not possible in a zone of another team', async () => {
    const zone = await newZone();
    await put(zone, 'www', '192.0.2.1');
    const [address = ''] = await links(zone);
    const other = visit(service);
    await other.signIn(eve.text);
    expect((await other.get(address)).status).toBe(404);
    expect((await other.post(`${zone.home}/undo`, { change: address.replace(/.*=/, '') })).status).toBe(404);
    expect(await records(zone)).toEqual(['www 192.0.2.1']);
  });
});
