// Changes of owned records by zone files, over the PowerDNS API, DNS updates and dyndns2: an answer or a log line names
// the owners, and the heartbeat of the cluster tells the change.
import { expect, test } from 'vitest';
import { update, updateKey } from '../../../support/doors/dns-update/client.ts';
import { change, type Entry } from '../../../support/doors/dns-update/message.ts';
import { powerDnsClient, replace } from '../../../support/doors/powerdns/client.ts';
import { clusterApi } from '../../../support/service/clusters.ts';
import { startTestService } from '../../../support/service/service.ts';

const MESSAGE = 'a client changed records that have owners, which may revert the change';
const service = await startTestService({
  settings: { ZONESTEAD_UPDATE_LISTEN: '127.0.0.1:0' },
  nameserver: false,
  warnings: [MESSAGE],
});
const { request, admin } = service;
const { send } = clusterApi(service);
const client = await updateKey(service);
const powerDns = powerDnsClient(service.url, admin.text);
let count = 0;

interface Line {
  msg: string;
  level: string;
  zone: string;
  sets: { name: string; type: string; owners: string[]; moreOwners?: number }[];
  more?: number;
}

/** A zone in which a DNSRecord owns 192.0.2.1 and 192.0.2.2 at `www`, and no one owns 192.0.2.3 there. */
async function ownedZone(owners = 1) {
  count += 1;
  const [zoneName, cluster] = [`other-apis-${count}.example`, `apis-${count}`];
  const { id } = await service.zone(zoneName);
  const texts = Array.from({ length: owners }, (_, n) => `k8s:${cluster}/default/www${n}`);
  const values = [{ content: '192.0.2.1' }, { content: '192.0.2.2' }];
  const sets = texts.map((owner) => ({ owner, name: 'www', type: 'A', values, share: true }));
  expect((await request('POST', `/zones/${id}/records:apply`, { sets })).status).toBe(200);
  await request('POST', `/zones/${id}/records`, { name: 'www', type: 'A', content: '192.0.2.3' });
  const told = async () => {
    const { body } = await send(admin, 'PUT', `/${cluster}`);
    return (body.changed as { owner: string }[]).map(({ owner }) => owner);
  };
  const lines = () =>
    service.log
      .map((line) => JSON.parse(line) as Line)
      .filter((line) => line.msg === MESSAGE && line.zone === zoneName);
  return { id, zoneName, www: `www.${zoneName}`, owners: texts, told, lines };
}

test('the PowerDNS API names the owners of the records that a PATCH changes, and not those of values that stay', async () => {
  const { zoneName, www, owners, told } = await ownedZone();
  const patch = (...contents: string[]) =>
    powerDns('PATCH', `/zones/${zoneName}.`, { rrsets: [replace(`${www}.`, 'A', contents, 3_600)] });
  const beside = await patch('192.0.2.1', '192.0.2.2', '192.0.2.9');
  expect([beside.status, beside.headers['zonestead-owners']]).toEqual([204, undefined]);
  const { status, headers } = await patch('192.0.2.1', '192.0.2.9', '192.0.2.66');
  expect([status, headers['zonestead-owners']]).toEqual([204, owners[0]]);
  const gone = await powerDns('PATCH', `/zones/${zoneName}.`, {
    rrsets: [{ name: `${www}.`, type: 'A', changetype: 'DELETE' }],
  });
  expect([gone.status, gone.headers['zonestead-owners']]).toEqual([204, owners[0]]);
  expect(new Set(await told())).toEqual(new Set(owners));
});

test('a PUT of the PowerDNS API names five owners at most', async () => {
  const { zoneName, www, owners } = await ownedZone(7);
  const soa = (await powerDns('GET', `/zones/${zoneName}.`)).body as { rrsets: { type: string }[] };
  const rrsets = [...soa.rrsets.filter(({ type }) => type === 'SOA'), replace(`${www}.`, 'A', ['192.0.2.9'])];
  const { status, headers } = await powerDns('PUT', `/zones/${zoneName}.`, { rrsets });
  expect([status, headers['zonestead-owners']]).toEqual([204, `${owners.slice(0, 5).join(', ')}, and 2 more`]);
});

test('the import of a zone file names five owners at most of the records that it changes or deletes', async () => {
  const { id, owners, told } = await ownedZone(12);
  const put = (...addresses: string[]) => {
    const file = addresses.map((address) => `www IN A ${address}\n`).join('');
    return request('PUT', `/zones/${id}/zonefile`, file, admin.text, { 'content-type': 'text/dns' });
  };
  const beside = await put('192.0.2.1', '192.0.2.2', '192.0.2.9');
  expect([beside.status, beside.headers['zonestead-owners']]).toEqual([200, undefined]);
  const changed = await put('192.0.2.1', '192.0.2.9', '192.0.2.66');
  const first = [...owners].sort().slice(0, 5).join(', ');
  expect([changed.status, changed.headers['zonestead-owners']]).toEqual([200, `${first}, and 7 more`]);
  expect(changed.body).not.toHaveProperty('owned');
  expect(await told()).toContain(owners[0]);
});

test('a DNS update of owned records is in the log with at most five owners, and the heartbeat tells it', async () => {
  const { zoneName, www, owners, told, lines } = await ownedZone(7);
  const sent = (...changes: Entry[]) => update(service.updatePort(), client, { zone: zoneName, changes });
  expect((await sent(change.add(www, 3_600, 'A', '192.0.2.4'))).rcode).toBe('NOERROR');
  expect((await sent(change.delete(www, 'A', '192.0.2.3'))).rcode).toBe('NOERROR');
  expect(lines()).toEqual([]);
  expect((await sent(change.delete(www, 'A', '192.0.2.1'))).rcode).toBe('NOERROR');
  const set = { name: 'www', type: 'A', owners: owners.slice(0, 5), moreOwners: 2 };
  expect(lines()).toMatchObject([{ level: 'warn', sets: [set] }]);
  expect(await told()).toContain(owners[0]);
});

test('a line of a DNS update has ten record sets, and counts the others', async () => {
  const { id, zoneName, lines } = await ownedZone();
  const names = Array.from({ length: 12 }, (_, n) => `n${n}`);
  const sets = names.map((name) => ({ owner: 'tool:a', name, type: 'A', values: [{ content: '192.0.2.1' }] }));
  expect((await request('POST', `/zones/${id}/records:apply`, { sets })).status).toBe(200);
  const changes = names.map((name) => change.deleteName(`${name}.${zoneName}`));
  expect((await update(service.updatePort(), client, { zone: zoneName, changes })).rcode).toBe('NOERROR');
  expect(lines().map(({ sets: shown, more }) => [shown.length, more])).toEqual([[10, 2]]);
});

test('dyndns2 that changes owned records is in the log, and the heartbeat tells it', async () => {
  const { www, owners, told, lines } = await ownedZone();
  const authorization = `Basic ${Buffer.from(`router:${admin.text}`).toString('base64')}`;
  const reply = await fetch(`${service.url}/nic/update?hostname=${www}&myip=192.0.2.77`, {
    headers: { authorization },
  });
  expect(await reply.text()).toBe('good 192.0.2.77\n');
  expect(lines()).toMatchObject([{ level: 'warn', sets: [{ name: 'www', type: 'A', owners }] }]);
  expect(await told()).toContain(owners[0]);
});
