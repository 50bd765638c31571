// Forged forms (CSRF) at every route of the console that changes something. The test reads the list of routes, so that
// a new route is tested automatically.
import { expect, test } from 'vitest';
import { startConsoleService, visit } from '../../support/console/console.ts';
import { addPerson } from '../../support/service/people.ts';

const service = await startConsoleService();
const ada = await addPerson(service, { team: 'red', email: 'ada@example.org' });
const ben = await addPerson(service, { team: 'red', role: 'member' });
const host = await addPerson(service, { team: 'blue' });
const account = async (who: { text: string }, path: string, body: object) =>
  String((await service.request('POST', `/../account${path}`, body, who.text)).body.id);

const { id: zoneId } = await service.zone('forged.example', { ...ada, id: ada.keyId });
const checkPath = `/../checks/east?owner=org:${ada.team}`;
await service.request('PUT', checkPath, { type: 'tcp', port: 443 }, ada.text);
const record = { name: 'www', type: 'A', content: '192.0.2.1', check: 'east' };
const recordId = String((await service.request('POST', `/zones/${zoneId}/records`, record, ada.text)).body.id);
/** Values of parameters for which each form would have an effect. */
const REAL: Record<string, string> = {
  zoneId,
  recordId,
  teamId: ada.team,
  userId: ben.id,
  // The name of a cluster and of a check.
  name: 'east',
  owner: `org:${ada.team}`,
  address: '192.0.2.1',
  keyId: await account(ada, `/teams/${ada.team}/keys`, { name: 'x', records: 'read' }),
  trustId: await account(ada, `/teams/${ada.team}/trusts`, {
    name: 'x',
    issuer: 'https://tokens.example.org',
    match: { sub: 'someone' },
  }),
};
const toAda = await account(host, `/teams/${host.team}/members`, { email: ada.email });
await service.request('PUT', `/../clusters/east?owner=org:${ada.team}`, undefined, ada.text);
const fromRed = await account(ada, `/teams/${ada.team}/members`, { email: 'guest@example.org' });
const FIELDS = {
  name: 'forged',
  email: 'mallory@example.org',
  role: 'owner',
  defaultTtl: '60',
  denial: 'NSEC3',
  confirm: 'forged.example',
};

const addressOf = (route: string) =>
  route.replace(/^\w+ /, '').replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = name === 'invitationId' ? (route.includes(':teamId') ? fromRed : toAda) : REAL[name];
    if (value === undefined) throw new Error(`${route}: this test has no value for :${name}`);
    return value;
  });
const changing = service.routes.filter(
  (route) => / \/console(\/|$)/.test(route) && !/^(GET|HEAD|OPTIONS) /.test(route),
);
/** All data that a form could have changed, except the sessions of this test. */
const state = () => service.sql`
  select (select max(id) from changes) zones, (select max(id) from account_changes) account,
    (select count(*) from zone_uploads) uploads, (select count(*) from api_keys where revoked_at is null) keys,
    (select count(*) from checks) checks, (select count(*) from check_targets where pin is not null) pins`;

test('the console has forms, parking among them', () => {
  expect(changing.length).toBeGreaterThan(20);
  expect(changing).toContain('POST /console/zones/:zoneId/park');
  expect(changing).toContain('POST /console/sign-in');
});

const [browser, other] = [visit(service), visit(service)];
await browser.signIn(ada.text);
await other.signIn(ada.text);
const foreign = (await other.get('/console/teams')).csrf;
const before = await state();

test.each(changing)(
  '%s without a token, with a wrong one, or with that of another session changes nothing',
  async (route) => {
    for (const _csrf of ['', 'x', foreign]) {
      const form = await browser.post(addressOf(route), { ...FIELDS, _csrf });
      expect([form.status, form.text]).toEqual([403, expect.stringContaining('nothing was changed')]);
      expect(await state()).toEqual(before);
    }
  },
);

test('a forged form with a file changes nothing either', async () => {
  for (const route of changing.filter((each) => each.includes('zonefile'))) {
    const form = new FormData();
    form.set('_csrf', foreign);
    form.set('upload', new Blob(['www IN A 192.0.2.66\n']), 'a.zone');
    const init = { method: 'POST', body: form, headers: { cookie: browser.cookie }, redirect: 'manual' } as const;
    expect((await fetch(`${service.url}${addressOf(route)}`, init)).status).toBe(403);
  }
  expect(await state()).toEqual(before);
  // The session itself still works.
  expect((await browser.get('/console/teams')).status).toBe(200);
});
