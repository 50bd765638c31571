// Requests with tokens in the place of keys: at every door, with exactly the rights of a key with the same terms, and
// the limits, the history and the pins of each subject. test/integration/service/trusts has attacks.
import { request as send } from 'undici';
import { expect, test } from 'vitest';
import { adminReadTrust } from '#service/credentials/administration.ts';
import { refusal } from '../../../support/http/requests.ts';
import { accountApi } from '../../../support/service/people.ts';
import { addressRecord, NAMESPACE, startTokenService } from '../../../support/service/trusts.ts';
import { seconds } from '../../../support/tokens/keys.ts';

const { service, zone, owner, ensure, tokenOf, write, everyone } = await startTokenService();
const { request, database } = service;
const ACCOUNT = `\${serviceaccount}`;

test('a token writes the names of its namespace, and no others', async () => {
  const token = await tokenOf('shop');
  expect((await write(token, 'www.shop')).status).toBe(201);
  expect((await write(token, 'shop')).status).toBe(201);
  for (const name of ['www.bank', 'bank', '@', 'www', 'shop.bank', 'a-shop']) {
    expect(refusal(await write(token, name)), name).toBe('403 forbidden');
  }
  const { records } = (await request('GET', `/zones/${zone.id}/records`, undefined, token)).body as {
    records: { name: string }[];
  };
  expect(records.map(({ name }) => name).sort()).toEqual(['shop', 'www.shop']);
});

test('a token has an account, a history, a last use and writes of its subject, and is not in any list of keys', async () => {
  const token = await tokenOf('seen', 'api');
  expect((await write(token, 'a.seen')).status).toBe(201);
  const account = (await request('GET', '/../account', undefined, token)).body as {
    key: { id: string; name: string; onlyNames: string[] };
  };
  expect(account).toMatchObject({
    trust: { id: everyone, name: 'cluster', subject: 'system:serviceaccount:seen:api' },
    key: { name: 'cluster: system:serviceaccount:seen:api', onlyNames: ['*.seen', 'seen'], records: 'write' },
    team: { name: 'first' },
  });
  const { id } = account.key;
  const { changes } = (await request('GET', `/zones/${zone.id}/changes`)).body as { changes: { keyId: string }[] };
  expect(changes.some((change) => change.keyId === id)).toBe(true);
  const trust = await adminReadTrust(database.url, everyone);
  const subject = trust.known.find((each) => each.keyId === id);
  expect(subject).toMatchObject({ subject: 'system:serviceaccount:seen:api', pinnedUid: 'uid-seen-api' });
  expect(Date.now() - Date.parse(subject?.lastUsedAt ?? '')).toBeLessThan(600_000);
  const team = owner.team;
  const { send: person } = accountApi(service);
  expect((await person(owner, 'GET', `/teams/${team}/keys`)).text).not.toContain(id);
  expect((await person(owner, 'GET', `/teams/${team}/keys/${id}`)).status).toBe(404);
  expect((await person(owner, 'DELETE', `/teams/${team}/keys/${id}`)).status).toBe(404);
  // No secret proves the row of a subject.
  expect(refusal(await write(`yk_${id}_${'0'.repeat(64)}`, 'b.seen'))).toBe('401 unauthorized');
});

test('a token counts in the write limit of its own subject', async () => {
  await ensure({ name: 'limited', onlyNames: [`*.${NAMESPACE}`], audience: 'limited', recordWrites: 2 });
  const { request: limited } = await service.anotherApi({ settings: { ZONESTEAD_LIMITS: 'on' } });
  for (const namespace of ['one', 'two']) {
    const token = await tokenOf(namespace, 'web', { aud: ['limited'] });
    const statuses: number[] = [];
    for (const label of ['a', 'b', 'c']) {
      const made = await limited('POST', `/zones/${zone.id}/records`, addressRecord(`${label}.${namespace}`), token);
      statuses.push(made.status);
    }
    expect(statuses).toEqual([201, 201, 429]);
  }
});

test('a token is not told about a deleted zone that its trust may not see', async () => {
  const [hidden, shown] = [await service.zone('hidden.example'), await service.zone('shown.example')];
  const grants = [{ zoneId: hidden.id, records: 'none' as const }];
  const match = { 'kubernetes.io': { namespace: 'auditor' } };
  await ensure({ audience: 'audit', match, records: 'read', grants });
  const token = await tokenOf('auditor', 'web', { aud: ['audit'] });
  expect((await request('GET', `/zones/${hidden.id}`, undefined, token)).status).toBe(404);
  for (const { id } of [hidden, shown]) expect((await request('DELETE', `/zones/${id}`)).status).toBe(204);
  const { body } = await request('GET', '/zones:deleted', undefined, token);
  expect((body.zones as { zoneName: string }[]).map(({ zoneName }) => zoneName)).toEqual(['shown.example']);
});

test('a token is refused at every door in the same way, and accepted at every door', async () => {
  await ensure({
    name: 'doors',
    match: { 'kubernetes.io': { namespace: 'doors', serviceaccount: { name: '*' } } },
    audience: 'doors',
    onlyNames: ['host', `_acme-challenge.${ACCOUNT}`, ACCOUNT],
    records: 'none',
    grants: [{ zoneId: zone.id, records: 'write' }],
  });
  const right = await tokenOf('doors', 'router', { aud: ['doors'] });
  const wrong = await tokenOf('doors', 'router', { aud: ['elsewhere'] });
  const basic = (token: string) => `Basic ${Buffer.from(`router:${token}`).toString('base64')}`;
  const json = { 'content-type': 'application/json' };
  const txt = 'a'.repeat(43);
  const doors: Record<string, (token: string) => Promise<number>> = {
    REST: (token) =>
      door(
        'POST',
        `/v1/dns/zones/${zone.id}/records`,
        { ...json, authorization: `Bearer ${token}` },
        addressRecord('host', `192.0.2.${10 + Object.keys(doors).length}`),
      ),
    PowerDNS: (token) => door('GET', '/api/v1/servers/localhost/zones', { 'x-api-key': token }),
    httpreq: (token) =>
      door(
        'POST',
        '/acme/httpreq/present',
        { ...json, authorization: basic(token) },
        { fqdn: '_acme-challenge.router.tokens.example.', value: txt },
      ),
    'acme-dns': (token) =>
      door(
        'POST',
        '/acme/acme-dns/update',
        { ...json, 'x-api-user': 'any', 'x-api-key': token },
        { subdomain: 'router', txt },
      ),
    dyndns2: (token) =>
      door('GET', '/nic/update?hostname=host.tokens.example&myip=192.0.2.99', { authorization: basic(token) }),
  };
  for (const [name, knock] of Object.entries(doors)) {
    expect([name, await knock(wrong)]).toEqual([name, 401]);
    expect([name, Math.floor((await knock(right)) / 100)]).toEqual([name, 2]);
  }
});

test('a token is accepted from the networks of its trust alone, at each door and behind a proxy', async () => {
  const client = '203.0.113.7';
  const match = { 'kubernetes.io': { namespace: 'networked' } };
  await ensure({ name: 'networked', match, audience: 'networked', onlyNames: ['home'], networks: [`${client}/32`] });
  const token = await tokenOf('networked', 'router', { aud: ['networked'] });
  const settings = { ZONESTEAD_PDNS_API: 'on', ZONESTEAD_TRUSTED_PROXIES: '127.0.0.1' };
  const { url: behindProxy } = await service.anotherApi({ settings });
  const authorization = `Basic ${Buffer.from(`router:${token}`).toString('base64')}`;
  const doors: [string, Record<string, string>][] = [
    ['/v1/dns/zones', { authorization: `Bearer ${token}` }],
    ['/api/v1/servers/localhost/zones', { 'x-api-key': token }],
    ['/nic/update?hostname=home.tokens.example&myip=192.0.2.98', { authorization }],
  ];
  for (const [path, headers] of doors) {
    const status = (url: string, forwarded?: string) =>
      door(
        'GET',
        path,
        forwarded === undefined ? headers : { ...headers, 'x-forwarded-for': forwarded },
        undefined,
        url,
      );
    expect([path, await status(service.url)]).toEqual([path, 401]);
    expect([path, await status(service.url, client)]).toEqual([path, 401]);
    expect([path, await status(behindProxy)]).toEqual([path, 401]);
    expect([path, await status(behindProxy, '198.51.100.1')]).toEqual([path, 401]);
    expect([path, await status(behindProxy, client)]).toEqual([path, 200]);
  }
  const refused = await request('GET', '/zones', undefined, token);
  expect(refused.body.message).toContain('may not be used from the address 127.0.0.1');
});

test('a token registers no acme-dns account, also if it may manage zones: the account would outlive it', async () => {
  await ensure({ match: { 'kubernetes.io': { namespace: 'manager' } }, audience: 'manager', manageZones: 'write' });
  const token = await tokenOf('manager', 'web', { aud: ['manager'] });
  const made = { zoneName: 'made-by-token.example', owner: `org:${owner.team}` };
  expect((await request('POST', '/zones', made, token)).status).toBe(200);
  const authorization = `Basic ${Buffer.from(`tokens.example:${token}`).toString('base64')}`;
  const headers = { 'content-type': 'application/json', authorization };
  expect(await door('POST', '/acme/acme-dns/register', headers, {})).toBe(403);
});

test('a token says why it is refused', async () => {
  const says = async (token: string) => {
    const reply = await write(token, 'www.shop');
    return [refusal(reply), String(reply.body.message)];
  };
  const unauthorized = (text: RegExp) => ['401 unauthorized', expect.stringMatching(text)];
  expect(await says(await tokenOf('shop', 'web', { iss: 'https://other.example' }))).toEqual(unauthorized(/No trust/));
  expect(await says(await tokenOf('shop', 'web', { aud: ['other'] }))).toEqual(unauthorized(/audience "other"/));
  expect(await says(await tokenOf('shop', 'web', { exp: seconds() - 100, iat: seconds() - 200 }))).toEqual(
    unauthorized(/expired at/),
  );
  expect(await says(await tokenOf('Shop'))).toEqual(unauthorized(/The claim namespace is "Shop"/));
  expect(await says(await tokenOf('a.b'))).toEqual(unauthorized(/one label/));
  expect(await says(await tokenOf('*'))).toEqual(unauthorized(/one label/));
  expect(await says(`${'e'.repeat(17_000)}.e.e`).catch(() => ['431'])).not.toEqual(['201']);
});

async function door(
  method: 'GET' | 'POST',
  path: string,
  headers: Record<string, string>,
  body?: object,
  url = service.url,
): Promise<number> {
  const answer = await send(new URL(path, url), {
    method,
    headers,
    body: body === undefined ? null : JSON.stringify(body),
  });
  await answer.body.dump();
  return answer.statusCode;
}
