// Team → Quota: the page shows the usage and the limits of the team to every member, and to no other person.
import { expect, test } from 'vitest';
import { shownOctets } from '#console/teams/quota.ts';
import { startConsoleService, visit } from '../../support/console/console.ts';
import { addPerson } from '../../support/service/people.ts';

const service = await startConsoleService();
const ada = await addPerson(service, { team: 'red', role: 'member' });
const eve = await addPerson(service, { team: 'blue' });

async function pageOf(person: { text: string }) {
  const browser = visit(service);
  await browser.signIn(person.text);
  return browser.get(`/console/teams/${ada.team}/quota`);
}

test('a member sees usage and limits, and the command that changes the limits', async () => {
  const key = await service.key({ team: 'red' });
  const zone = await service.zone('quota.example', key);
  await service.request(
    'POST',
    `/zones/${zone.id}/records`,
    { name: 'www', type: 'A', content: '192.0.2.1' },
    key.text,
  );
  const { status, text } = await pageOf(ada);
  expect(status).toBe(200);
  const rows = [
    ...text.matchAll(/<tr><th scope="row">([^<]+)<\/th><td[^>]*>([^<]+)<\/td><td[^>]*>([^<]+)<\/td><td><meter /g),
  ];
  expect(rows.map(([, name, used, limit]) => [name, used, limit])).toEqual([
    ['Zones', '1', '1,000'],
    ['Records', '1', '500,000'],
    ['Names and contents of records', '12 bytes', '1 GiB'],
    ['Valid API keys', '1', '200'],
    ['Members', '1', '200'],
  ]);
  expect(text).toContain(`zonestead admin teams quota ${ada.team}`);
  expect(text).toContain(`href="/console/teams/${ada.team}/quota" aria-current="page"`);
});

test('the quota of another team answers 404', async () => {
  expect((await pageOf(eve)).status).toBe(404);
});

test.each([
  [0, '0 bytes'],
  [1_023, '1,023 bytes'],
  [1_024, '1 KiB'],
  [1_536, '1.5 KiB'],
  [2 ** 30, '1 GiB'],
  [2 ** 50, '1,024 TiB'],
])('%i octets are shown as %s', (octets, shown) => expect(shownOctets(octets)).toBe(shown));
