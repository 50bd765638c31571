// A key that may write `*.dev`, and not `dev`, gets no certificate for `dev`, over any protocol.
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { update, updateKey } from '../../../support/doors/dns-update/client.ts';
import { change } from '../../../support/doors/dns-update/message.ts';
import { powerDnsClient, replace } from '../../../support/doors/powerdns/client.ts';
import type { KeyOptions } from '../../../support/service/keys.ts';
import { ATTEMPTS, type Attempt, ORDINARY, toFields } from '../../../support/service/proof-names.ts';
import { startTestService } from '../../../support/service/service.ts';
import { undoZoneAt } from '../../../support/service/undo.ts';

const service = await startTestService({
  settings: { ZONESTEAD_UPDATE_LISTEN: '127.0.0.1:0' },
  nameserver: false,
});
const { request, url } = service;
const ZONE = 'proofs.example';
const zone = await service.zone(ZONE);
const path = `/zones/${zone.id}`;
const rights = { manageZones: 'none', onlyNames: ['*.dev'] } satisfies KeyOptions;
const tenant = await updateKey(service, rights);
const manager = await service.key({ ...rights, manageZones: 'write' });
const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(`x:${text}`).toString('base64')}` });

/** Sends one record. @returns whether it is accepted */
type Send = (attempt: Attempt) => Promise<boolean>;
const isDone = (status: number) => {
  expect([200, 201, 204, 403]).toContain(status);
  return status < 400;
};
const absolute = (name: string) => `${name}.${ZONE}`;

const DOORS: Readonly<Record<string, Send>> = {
  'POST of a record': async (attempt) =>
    isDone((await request('POST', `${path}/records`, toFields(attempt), tenant.text)).status),
  'a batch': async (attempt) => {
    const body = { changes: [{ action: 'create', record: toFields(attempt) }] };
    return isDone((await request('POST', `${path}/records:batch`, body, tenant.text)).status);
  },
  'records:apply': async ([name, type, content]) => {
    const { priority, content: value } = toFields([name, type, content]) as { priority?: number; content: string };
    const values = [{ content: value, ...(priority === undefined ? {} : { priority }) }];
    const body = { sets: [{ owner: 'k8s:prod/shop/x', name, type, values, share: true }], atomic: true };
    return isDone((await request('POST', `${path}/records:apply`, body, tenant.text)).status);
  },
  'the PowerDNS API': async ([name, type, content]) =>
    isDone(
      (
        await powerDnsClient(url, tenant.text)('PATCH', `/zones/${ZONE}.`, {
          rrsets: [replace(`${absolute(name)}.`, type, [content])],
        })
      ).status,
    ),
  'a DNS update': async ([name, type, content]) => {
    // The protocol has no such type.
    if (type === 'ALIAS') return false;
    const { rcode } = await update(service.updatePort(), tenant, {
      zone: ZONE,
      changes: [change.add(absolute(name), 60, type, content)],
    });
    expect(['NOERROR', 'REFUSED']).toContain(rcode);
    return rcode === 'NOERROR';
  },
  'an undo of its deletion': async (attempt) => {
    const history = undoZoneAt(service, zone.id);
    const { name, type, content, ...more } = toFields(attempt) as { name: string; type: string; content: string };
    await history.drop(await history.add(name, type, content, more));
    const [deletion] = await history.ids();
    const reply = await request('POST', `${path}/changes:undo`, { changes: [deletion] }, tenant.text);
    return isDone(reply.status);
  },
};

async function clear(): Promise<void> {
  const { body } = await request('GET', `${path}/records`);
  for (const { id } of body.records as { id: string }[]) await request('DELETE', `${path}/records/${id}`);
}

describe.each(Object.entries(DOORS))('by %s', (title, send) => {
  test(`by ${title}, a key for *.dev proves nothing about dev`, async () => {
    const accepted: Attempt[] = [];
    for (const attempt of ATTEMPTS) {
      if (await send(attempt)) accepted.push(attempt);
      await clear();
    }
    expect(accepted).toEqual([]);
  });

  test(`by ${title}, a key for *.dev writes the names below dev as before`, async () => {
    const refused: Attempt[] = [];
    for (const attempt of ORDINARY) {
      if (!(await send(attempt))) refused.push(attempt);
      await clear();
    }
    expect(refused).toEqual([]);
  });
});

const VALUE = createHash('sha256').update('proof').digest('base64url');
const acme = (at: string, body: unknown, headers: Record<string, string>) =>
  fetch(`${url}/acme${at}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

test('by httpreq, a key for *.dev presents no challenge of dev, and those of names below', async () => {
  const send = async (fqdn: string) =>
    (await acme('/httpreq/present', { fqdn, value: VALUE }, basic(tenant.text))).status;
  expect(await send(`_acme-challenge.dev.${ZONE}.`)).toBe(403);
  expect(await send(`_x._acme-challenge.dev.${ZONE}.`)).toBe(403);
  expect(await send(`_acme-challenge.api.dev.${ZONE}.`)).toBe(200);
});

test('by acme-dns, a key for *.dev registers no account at or below a name that certifies dev', async () => {
  const send = async (parent: string) => {
    const headers = { authorization: `Basic ${Buffer.from(`${parent}:${manager.text}`).toString('base64')}` };
    return (await acme('/acme-dns/register', {}, headers)).status;
  };
  expect(await send(`_acme-challenge.dev.${ZONE}`)).toBe(403);
  expect(await send(`dev.${ZONE}`)).toBe(201);
});

test('by dyndns2, a key for *.dev sets no address at such a name', async () => {
  const send = async (name: string) =>
    (await fetch(`${url}/nic/update?hostname=${name}&myip=192.0.2.1`, { headers: basic(tenant.text) })).text();
  expect(await send(`_acme-challenge.dev.${ZONE}`)).not.toContain('good');
  expect(await send(`home.dev.${ZONE}`)).toContain('good');
});

test('by a zone file or a restore, a restricted key writes nothing', async () => {
  const file = `_acme-challenge.dev 60 IN TXT "proof"\n`;
  const reply = await fetch(`${url}/v1/dns${path}/zonefile`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${tenant.text}`, 'content-type': 'text/dns' },
    body: file,
  });
  expect(reply.status).toBe(403);
  const restored = await request('POST', `${path}:restore`, { at: new Date().toISOString() }, tenant.text);
  expect(restored.status).toBe(403);
});

test('a record that a key may not write, it may not change or delete either, and others see who may', async () => {
  const { id } = await service.record(zone, '_acme-challenge.dev', 'TXT', 'proof');
  const body = { name: '_acme-challenge.dev', type: 'TXT', content: 'other' };
  expect((await request('PUT', `${path}/records/${id}`, body, tenant.text)).status).toBe(403);
  const refused = await request('DELETE', `${path}/records/${id}`, undefined, tenant.text);
  expect([refused.status, refused.body.message]).toEqual([
    403,
    'This key may only write records named *.dev, and TXT at _acme-challenge.dev proves control of dev to a certificate authority. To permit it, add dev to the names of the key, or this name with its label that begins with "_".',
  ]);
});

test.each([
  ['the name itself', ['dev']],
  ['the label as text', ['_acme-challenge.dev']],
  ['the label as text for every name', ['_acme-challenge.*']],
])('a pattern with %s permits the challenge, which the key then also reads', async (_, onlyNames) => {
  const key = await service.key({ manageZones: 'none', onlyNames });
  const body = { name: '_acme-challenge.dev', type: 'TXT', content: onlyNames.join() };
  const created = await request('POST', `${path}/records`, body, key.text);
  expect(created.status).toBe(201);
  const listed = await request('GET', `${path}/records`, undefined, key.text);
  expect((listed.body.records as { id: string }[]).map(({ id }) => id)).toContain(created.body.id);
  expect((await request('GET', `${path}/records/${created.body.id}`, undefined, key.text)).status).toBe(200);
  expect((await request('DELETE', `${path}/records/${created.body.id}`, undefined, key.text)).status).toBe(204);
});
