// Team → Clusters: every member sees the clusters, and owners drain and restore them.
import { expect, test } from 'vitest';
import { startConsoleService, visit, words } from '../../support/console.ts';
import { addPerson } from '../../support/people.ts';

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

test('a member sees the clusters and cannot drain them, and nobody else sees them', async () => {
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
