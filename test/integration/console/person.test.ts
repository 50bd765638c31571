// The page of the signed-in person: sessions and keys of this person alone, and their end.
import { expect, test } from 'vitest';
import { startConsoleService, visit, words } from '../../support/console/console.ts';
import { addPerson } from '../../support/service/people.ts';

const service = await startConsoleService({ nameserver: false });
const ada = await addPerson(service, { team: 'red', email: 'ada@example.org' });
const eve = await addPerson(service, { team: 'blue', email: 'eve@example.org' });
const entered = async (person: { text: string }) => {
  const browser = visit(service);
  await browser.signIn(person.text);
  return browser;
};
const endsIn = (text: string) =>
  [...text.matchAll(/action="\/console\/me\/keys\/([^/"]+)\/end"/g)].map(([, id]) => id as string);

test('a person sees the own sessions and keys, and ends one of them', async () => {
  const [first, second] = [await entered(ada), await entered(ada)];
  const page = await first.get('/console/me');
  expect(words(page.text)).toMatch(/Sessions .* console this browser .* Personal API keys .* test /);
  const ends = endsIn(page.text);
  expect(ends).toHaveLength(3);
  // The newest session is the first one.
  expect((await first.post(`/console/me/keys/${ends[0]}/end`)).location).toBe('/console/me');
  expect((await second.get('/console/zones')).status).toBe(303);
  expect((await first.get('/console/zones')).status).toBe(200);
  const [entry] =
    await service.sql`select action, subject, key_id from account_changes where subject = ${ends[0] ?? ''} and action = 'key.revoke'`;
  expect(entry?.key_id).toBe(ends[1]);
});

test('a person ends no session or key of another person, and none without a token', async () => {
  const [browser, other] = [await entered(ada), await entered(eve)];
  const [id] = endsIn((await other.get('/console/me')).text);
  expect((await browser.get('/console/me')).text).not.toContain(id);
  expect((await browser.post(`/console/me/keys/${id}/end`)).status).toBe(404);
  for (const path of [`/console/me/keys/${id}/end`, '/console/me/sign-out-everywhere'])
    expect((await other.post(path, { _csrf: 'forged' })).status).toBe(403);
  expect((await other.get('/console/zones')).status).toBe(200);
});

test('a person signs out everywhere, and other people stay signed in', async () => {
  const [first, second, other] = [await entered(ada), await entered(ada), await entered(eve)];
  await first.get('/console/me');
  expect((await first.post('/console/me/sign-out-everywhere')).location).toBe('/console/sign-in');
  for (const browser of [first, second]) expect((await browser.get('/console/zones')).status).toBe(303);
  expect((await other.get('/console/zones')).status).toBe(200);
  // The key stays valid.
  expect((await service.request('GET', '/zones', undefined, ada.text)).status).toBe(200);
});
