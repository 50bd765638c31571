// The form of a new zone with the DNSSEC key with which it moves in.
import { expect, test } from 'vitest';
import { dnskeyText, dsRecords, generateSigningKey } from '#dns/dnssec/signing-key.ts';
import { startConsoleService, visit, words } from '../../support/console/console.ts';
import { addPerson } from '../../support/service/people.ts';

const service = await startConsoleService();
const ada = await addPerson(service, { team: 'red', email: 'ada@example.org' });
const red = await service.key({ team: 'red' });
const browser = visit(service);
await browser.signIn(ada.text);

test('the form of a new zone takes the key of other name servers, and no page shows it again', async () => {
  const key = generateSigningKey();
  const fields = { zoneName: 'keyed.example', owner: `org:${red.team}`, defaultTtl: '', comment: '' };
  await browser.get('/console/zones/new');
  const dnskey = `keyed.example. IN DNSKEY ${dnskeyText(key)}`.replace(' 257 ', ' 256 ');
  const refused = await browser.post('/console/zones', { ...fields, key: key.privateKey, dnskey });
  expect(refused.status).toBe(400);
  expect(words(refused.text)).toContain('The DNSKEY record is a zone-signing key (flags 256)');
  expect(refused.text).toMatch(/<details class="more" open>/);
  expect(refused.text).not.toContain('BEGIN PRIVATE KEY');
  const without = await browser.post('/console/zones', { ...fields, key: '', dnskey });
  expect([without.status, words(without.text)]).toEqual([400, expect.stringContaining('The private key must be')]);
  const made = await browser.post('/console/zones', { ...fields, key: key.privateKey, dnskey: dnskeyText(key) });
  expect(made.status).toBe(303);
  const id = /zone_[0-9a-z]+/.exec(String(made.headers.get('location')))?.[0] as string;
  const { body } = await service.request('GET', `/zones/${id}/ds`, undefined, red.text);
  expect(body.ds).toEqual(dsRecords('keyed.example', key));
});
