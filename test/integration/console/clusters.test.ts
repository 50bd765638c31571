// Team → Clusters: every member sees the clusters, and owners drain, restore and release them.
import { expect, test } from 'vitest';
import { startConsoleService, visit, words } from '../../support/console/console.ts';
import { addPerson } from '../../support/service/people.ts';

const service = await startConsoleService();
const ada = await addPerson(service, { team: 'red' });
const ben = await addPerson(service, { team: 'red', role: 'member' });
const eve = await addPerson(service, { team: 'blue' });
const PAGE = `/console/teams/${ada.team}/clusters`;

async function browserOf(person: { text: string }) {
  const browser = visit(service);
  await browser.signIn(person.text);
  return browser;
}

test('an owner drains and restores a cluster, and the page shows the state and the last heartbeat', async () => {
  const browser = await browserOf(ada);
  expect((await browser.get(PAGE)).text).toContain('No cluster has sent a heartbeat');
  const key = await service.key({ team: 'red' });
  await service.request('PUT', '/../clusters/east', undefined, key.text);
  const { text } = await browser.get(PAGE);
  expect(words(text)).toContain('east active just now Drain');
  expect(text).toMatch(/<time datetime="\d{4}-/);
  expect(text).toContain(`href="${PAGE}" aria-current="page"`);
  await browser.post(`${PAGE}/east/drain`, {});
  expect((await browser.get(PAGE)).text).toMatch(/is drained: its records[\s\S]*>drained<\/span>/);
  await browser.post(`${PAGE}/east/restore`, {});
  expect((await browser.get(PAGE)).text).toMatch(/>active<\/span>/);
});

test('a member sees the clusters and cannot drain them, and no other person sees them', async () => {
  const member = await browserOf(ben);
  const page = await member.get(PAGE);
  expect(page.text).toContain('east');
  expect(page.text).not.toContain('Drain');
  expect((await member.post(`${PAGE}/east/drain`, {})).status).toBe(403);
  const stranger = await browserOf(eve);
  expect((await stranger.get(PAGE)).status).toBe(404);
  expect((await stranger.post(`${PAGE}/east/drain`, {})).status).toBeGreaterThanOrEqual(403);
  expect((await service.sql`select drained_at from clusters`)[0]?.drained_at).toBeNull();
});

test('an owner releases the name of a cluster after a confirmation, and the next key gets it', async () => {
  const browser = await browserOf(ada);
  const [first, next] = [await service.key({ team: 'red' }), await service.key({ team: 'red' })];
  const beat = async (key: { text: string }) =>
    (await service.request('PUT', '/../clusters/north', undefined, key.text)).status;
  expect([await beat(first), await beat(next)]).toEqual([200, 409]);
  expect((await browser.get(PAGE)).text).toContain(`href="${PAGE}/north/release"`);
  const { text } = await browser.get(`${PAGE}/north/release`);
  expect(words(text)).toContain('Release north?');
  expect(words(text)).toContain('the next key that sends a heartbeat of this name gets it');
  expect(text).toContain(`action="${PAGE}/north/release"`);
  // The question alone changes nothing.
  expect(await beat(next)).toBe(409);
  await browser.post(`${PAGE}/north/release`, {});
  expect((await browser.get(PAGE)).text).toContain('The cluster north is released');
  expect([await beat(next), await beat(first)]).toEqual([200, 409]);
});

test('only an owner of the team may release, and a name without a cluster is named', async () => {
  const [member, stranger, owner] = [await browserOf(ben), await browserOf(eve), await browserOf(ada)];
  const key = async () =>
    (await service.sql`select held_by from clusters where name = 'north' and held_by is not null`).length;
  expect((await member.get(PAGE)).text).not.toContain('/north/release');
  expect((await member.get(`${PAGE}/north/release`)).status).toBe(403);
  expect((await member.post(`${PAGE}/north/release`, {})).status).toBe(403);
  expect((await stranger.get(`${PAGE}/north/release`)).status).toBe(404);
  expect((await stranger.post(`${PAGE}/north/release`, {})).status).toBeGreaterThanOrEqual(403);
  expect(await key()).toBe(1);
  const absent = await owner.get(`${PAGE}/nowhere/release`);
  expect([absent.status, absent.text]).toEqual([404, expect.stringContaining('nowhere')]);
});

test('a refused drain, restore or release shows the list with the reason', async () => {
  const [member, owner] = [await browserOf(ben), await browserOf(ada)];
  for (const browser of [member, owner]) await browser.get(PAGE);
  for (const verb of ['drain', 'restore', 'release']) {
    const refused = await member.post(`${PAGE}/north/${verb}`, {});
    expect([refused.status, reasonIn(refused.text)]).toEqual([
      403,
      expect.stringContaining('Only an owner of the team'),
    ]);
    const absent = await owner.post(`${PAGE}/nowhere/${verb}`, {});
    expect([absent.status, reasonIn(absent.text)]).toEqual([404, expect.stringContaining('nowhere')]);
    for (const { text } of [refused, absent]) expect(words(text)).toContain('north active');
  }
});

/** The sentence of the alert of a page, which comes before its list. */
function reasonIn(page: string): string | undefined {
  return /role="alert">([^<]*)<\/p>[\s\S]*aria-label="Clusters"/.exec(page)?.[1];
}
