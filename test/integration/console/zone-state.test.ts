// The state of a zone in the head of its pages, and the card of a new zone that its parent does not delegate.
import { expect, test } from 'vitest';
import { startConsoleService, visit, words } from '../../support/console/console.ts';
import { addPerson } from '../../support/service/people.ts';

const service = await startConsoleService({ settings: { ZONESTEAD_DELEGATION_CHECK: 'on' } });
const ada = await addPerson(service, { team: 'red' });
const red = await service.key({ team: 'red' });
const browser = visit(service);
await browser.signIn(ada.text);

const stateOf = async (home: string, page = home) => {
  const headers = { 'hx-request': 'true', 'hx-current-url': `${service.url}${page}`, cookie: browser.cookie };
  return (await fetch(`${service.url}${home}/state`, { headers })).text();
};

test('the head of a zone says who serves it and what its parent lacks, and the list of records has the next step', async () => {
  const { id } = await service.zone('state.example', red);
  const home = `/console/zones/${id}`;
  await service.settled();
  const text = await stateOf(home);
  expect(words(text)).toMatch(/Served 1\/1 Signed (Not delegated|DS missing|Delegation unknown)/);
  expect(text).toContain('<hx-partial hx-target="#next-step"');
  // Other pages have no place for the card.
  expect(await stateOf(home, `${home}/history`)).not.toContain('hx-partial');
  expect(words((await browser.get(`${home}/delegation`)).text)).toMatch(
    /Make the zone visible .* state\.example\. IN DS/,
  );
});

test('the page of the delegation shows the keys, begins a key roll and cancels it', async () => {
  const { id } = await service.zone('keys.example', red);
  const home = `/console/zones/${id}`;
  const page = await browser.get(`${home}/delegation`);
  expect(words(page.text)).toMatch(/DNSSEC keys .* 13 ECDSAP256SHA256 active/);
  const begun = await browser.follow(await browser.post(`${home}/roll`, { algorithm: '15' }));
  expect(words(begun.text)).toMatch(
    /15 ED25519 presigning .* A key roll is under way\. The key \d+ is presigning\. It waits for/,
  );
  expect((await browser.post(`${home}/roll`, { algorithm: '13' })).status).toBe(409);
  await browser.get(`${home}/delegation`);
  const ended = await browser.follow(await browser.post(`${home}/roll/cancel`));
  expect(words(ended.text)).not.toContain('under way');
});

test('a new zone opens on its records with the card, until the person hides it', async () => {
  await browser.get('/console/zones/new');
  const made = await browser.post('/console/zones', {
    zoneName: 'card.example',
    owner: `org:${ada.team}`,
    defaultTtl: '',
  });
  const home = made.location?.split('?')[0] ?? '';
  const page = await browser.follow(made);
  expect(words(page.text)).toMatch(/Make card\.example visible .*ns1\.zonestead\.test.*card\.example\. IN DS/);
  expect((await browser.post(`${home}/hide-card`)).location).toBe(home);
  expect(words((await browser.get(made.location ?? '')).text)).not.toContain('Make card.example visible');
  expect(await stateOf(home)).not.toContain('hx-partial');
});

test('a zone with dangling names has a chip, a page with the record to correct, and a line on the overview', async () => {
  const zone = await service.zone('points.example', red);
  const home = `/console/zones/${zone.id}`;
  const body = { name: 'blog', type: 'CNAME', content: 'blog.pages.example' };
  const reply = await service.request('POST', `/zones/${zone.id}/records`, body, red.text);
  await service.settled();
  expect(words(await stateOf(home))).not.toContain('dangling name');
  expect(words((await browser.get(`${home}/dangling`)).text)).toContain('No record of the zone points to a name');
  await service.sql`insert into record_targets (target, owner, domain, due_at, checked_at, absences, absent_since, absent_name)
    values ('blog.pages.example.', ${red.team}, 'pages.example', now() + interval '1 hour', now(), 3, now(), 'gone.pages.example')`;
  expect(words(await stateOf(home))).toContain('1 dangling name');
  const { text } = await browser.get(`${home}/dangling`);
  expect(words(text)).toMatch(/blog CNAME blog\.pages\.example gone\.pages\.example just now just now/);
  expect(text).toContain(`${home}/records/${reply.body.id}/edit`);
  expect((await browser.get(`${home}/records/${reply.body.id}/edit`)).status).toBe(200);
  expect(words((await browser.get('/console/attention')).text)).toContain(
    'points.example has 1 dangling name, which others can take over.',
  );
  // Another person sees none of it.
  const eve = visit(service);
  await eve.signIn((await addPerson(service, { team: 'blue', email: 'eve@example.org' })).text);
  expect((await eve.get(`${home}/dangling`)).status).toBe(404);
  expect(words((await eve.get('/console/attention')).text)).not.toContain('dangling name');
});
