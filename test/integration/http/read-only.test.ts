// ZONESTEAD_READ_ONLY: one replica takes no changes, while another one of the same database does.
import { expect, test } from 'vitest';
import type { Operation } from '#contract/operation.ts';
import * as clusters from '#contract/operations/clusters.ts';
import * as invitations from '#contract/operations/invitations.ts';
import * as keys from '#contract/operations/keys.ts';
import * as owners from '#contract/operations/owners.ts';
import * as records from '#contract/operations/records.ts';
import * as secondaries from '#contract/operations/secondaries.ts';
import * as teams from '#contract/operations/teams.ts';
import * as trusts from '#contract/operations/trusts.ts';
import * as undo from '#contract/operations/undo.ts';
import * as zoneFiles from '#contract/operations/zone-files.ts';
import * as zones from '#contract/operations/zones.ts';
import { update, updateKey } from '../../support/doors/dns-update/client.ts';
import { change } from '../../support/doors/dns-update/message.ts';
import { addPerson } from '../../support/service/people.ts';
import { startTestService } from '../../support/service/service.ts';

const REASON = 'The database moves until 14:00 UTC.';
const service = await startTestService({
  settings: { ZONESTEAD_UPDATE_LISTEN: '127.0.0.1:0' },
  warnings: ['the service takes no changes'],
});
const paused = await service.anotherApi({ settings: { ZONESTEAD_READ_ONLY: REASON } });
const zone = await service.zone('paused.example');
const person = await addPerson(service, { team: 'first' });
const SENTENCE = `The service takes no changes at the moment: ${REASON} Nothing was written; try again after Retry-After.`;

const changes = [clusters, invitations, keys, owners, records, secondaries, teams, trusts, undo, zoneFiles, zones]
  .flatMap((operations) => Object.values(operations) as Operation[])
  .filter(({ method }) => method !== undefined && method !== 'GET');

const send = async (path: string, method: string, headers: Record<string, string>, body?: object) => {
  const answer = await fetch(`${paused.url}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
};

test.for(changes)('$id changes nothing, and says why', async ({ id, method, path }) => {
  // Only people manage teams, and only keys of apps send heartbeats.
  const key = path.startsWith('/v1/account') ? person.text : service.admin.text;
  const filled = path.replaceAll('{id}', zone.id).replaceAll(/\{\w+\}/g, 'x');
  const reply = await send(filled, method, { authorization: `Bearer ${key}` }, {});
  if (id === 'testTrusts') return expect(reply.status).not.toBe(503);
  expect([reply.status, JSON.parse(reply.text).message]).toEqual([503, SENTENCE]);
  expect(reply.headers.get('retry-after')).toBe('60');
});

test('reads continue, and a key that is not valid does not learn the reason', async () => {
  expect((await paused.request('GET', `/zones/${zone.id}`)).status).toBe(200);
  expect((await paused.request('POST', '/nothing', {})).status).toBe(404);
  const stranger = await paused.request('POST', '/zones', { zoneName: 'a.example' }, 'zsk_wrong');
  expect([stranger.status, stranger.text.includes('moves')]).toEqual([401, false]);
});

test('the protocols of other programs and DNS updates change nothing', async () => {
  const { text } = service.admin;
  const authorization = `Basic ${Buffer.from(`zonestead:${text}`).toString('base64')}`;
  const name = `_acme-challenge.${zone.zoneName}`;
  const answers = [
    await send('/acme/httpreq/present', 'POST', { authorization }, { fqdn: name, value: 'x'.repeat(43) }),
    await send('/acme/acme-dns/register', 'POST', { authorization }),
    await send('/api/v1/servers/localhost/zones', 'POST', { 'x-api-key': text }, { name: 'b.example.' }),
    await send(`/api/v1/servers/localhost/zones/${zone.zoneName}.`, 'PATCH', { 'x-api-key': text }, { rrsets: [] }),
    await send(`/api/v1/servers/localhost/zones/${zone.zoneName}.`, 'DELETE', { 'x-api-key': text }),
  ];
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 503));
  const tsig = await updateKey(service);
  const added = { zone: zone.zoneName, changes: [change.add(`u.${zone.zoneName}`, 60, 'A', '192.0.2.1')] };
  expect(await update(service.updatePort(paused.url), tsig, added)).toMatchObject({
    rcode: 'SERVFAIL',
    text: SENTENCE,
  });
  expect(await update(service.updatePort(), tsig, added)).toMatchObject({ rcode: 'NOERROR' });
  expect((await service.dns.lookup(`u.${zone.zoneName}`, 'A')).answers).toEqual([`u.${zone.zoneName} 60 A 192.0.2.1`]);
});
