// Kea's DHCP-DDNS daemon keeps the names and addresses of DHCP clients in a forward zone and two reverse zones, at BIND
// and at ours: each request has the same end, and leaves the same zones. A name belongs to one client, which its DHCID
// record tells.
import { expect, test } from 'vitest';
import { updateServers } from '../../../support/doors/servers.ts';
import { startTestService } from '../../../support/service/service.ts';
import { type NameChange, startKea } from './kea.support.ts';

const FORWARD = 'kea.example';
const REVERSE = ['2.0.192.in-addr.arpa', '8.b.d.0.1.0.0.2.ip6.arpa'];
const service = await startTestService({ settings: { ZONESTEAD_UPDATE_LISTEN: '127.0.0.1:0' }, nameserver: false });
const servers = await Promise.all(
  (await updateServers(service, [FORWARD, ...REVERSE])).map(async ({ title, port, key, zones, records }) => ({
    title,
    kea: await startKea({ port, key, forward: FORWARD, reverse: REVERSE }),
    everything: async () => (await Promise.all(zones.map(records))).flat(),
  })),
);

const HOST = `host.${FORWARD}`;
const lease = (
  change: NameChange['change'],
  client: string,
  address: string,
  more: Partial<NameChange> = {},
): NameChange => ({ change, client, address, name: HOST, ...more });
const a = (end: number) => `${HOST}. 3600 A 192.0.2.${end}`;
const aaaa = `${HOST}. 3600 AAAA 2001:db8::5`;
const ptr = (end: number) => `${end}.2.0.192.in-addr.arpa. 3600 PTR ${HOST}.`;
const ptr6 = `5.${'0.'.repeat(23)}8.b.d.0.1.0.0.2.ip6.arpa. 3600 PTR ${HOST}.`;

/**
 * Each with its end and the records afterwards, without DHCID records. A request of one address never removes the PTR
 * of another.
 */
const STEPS: readonly { it: string; request: NameChange; end: string; records: readonly string[] }[] = [
  {
    it: 'a client gets a name',
    request: lease('add', 'first', '192.0.2.10'),
    end: 'ADD_SUCCEEDED',
    records: [a(10), ptr(10)],
  },
  {
    it: 'the same client gets another address, and keeps the name',
    request: lease('add', 'first', '192.0.2.11'),
    end: 'ADD_SUCCEEDED',
    records: [a(11), ptr(10), ptr(11)],
  },
  {
    it: 'it gets an IPv6 address as well',
    request: lease('add', 'first', '2001:db8::5'),
    end: 'ADD_SUCCEEDED',
    records: [a(11), aaaa, ptr(10), ptr(11), ptr6],
  },
  {
    it: 'another client does not get the name',
    request: lease('add', 'second', '192.0.2.20'),
    end: 'ADD_FAILED',
    records: [a(11), aaaa, ptr(10), ptr(11), ptr6],
  },
  {
    it: 'and does not remove it',
    request: lease('remove', 'second', '192.0.2.11'),
    end: 'REMOVE_FAILED',
    records: [a(11), aaaa, ptr(10), ptr(11), ptr6],
  },
  {
    it: 'the client loses one of two addresses: Kea 2.2 does not reach the PTR, because its next update needs a name without any',
    request: lease('remove', 'first', '192.0.2.11'),
    end: 'REMOVE_FAILED',
    records: [aaaa, ptr(10), ptr(11), ptr6],
  },
  {
    it: 'it loses the other, and the name is gone',
    request: lease('remove', 'first', '2001:db8::5'),
    end: 'REMOVE_SUCCEEDED',
    records: [ptr(10), ptr(11)],
  },
  {
    it: 'another client gets the name and an old address',
    request: lease('add', 'second', '192.0.2.10'),
    end: 'ADD_SUCCEEDED',
    records: [a(10), ptr(10), ptr(11)],
  },
  {
    it: 'the first client takes the name without a look at its owner',
    request: lease('add', 'first', '192.0.2.11', { conflictResolution: false }),
    end: 'ADD_SUCCEEDED',
    records: [a(11), ptr(10), ptr(11)],
  },
  {
    it: 'and gives it back',
    request: lease('remove', 'first', '192.0.2.11'),
    end: 'REMOVE_SUCCEEDED',
    records: [ptr(10)],
  },
];

test('Kea changes the zones of the service as it changes those of BIND', async () => {
  for (const { it, request, end, records } of STEPS) {
    const [bind, ours] = await Promise.all(
      servers.map(async ({ kea, everything }) => ({ it, end: await kea.request(request), zones: await everything() })),
    );
    expect(ours).toEqual(bind);
    const plain = ours?.zones.filter((line) => !line.includes(' DHCID '));
    expect([it, ours?.end, plain?.sort()]).toEqual([it, end, [...records].sort()]);
  }
});

test('Kea reads a refusal of the service, which has a sentence for people', async () => {
  const ours = servers.find(({ title }) => title === 'Zonestead');
  const { body } = await service.request('GET', `/zones?zoneName=${FORWARD}`);
  const [zone] = (body as { zones: { id: string }[] }).zones;
  await service.record(zone ?? { id: '' }, 'cut', 'NS', 'ns.example.net.');
  const change = lease('add', 'third', '192.0.2.30', { name: `host.cut.${FORWARD}` });
  expect(await ours?.kea.request(change)).toBe('ADD_FAILED');
  expect(await ours?.kea.log()).toMatch(/DHCP_DDNS_FORWARD_ADD_REJECTED .*host\.cut\.kea\.example\..* RCODE: 5/);
});
