// From external-dns' changes to record changes, and from records to endpoints and back.
import { describe, expect, test } from 'vitest';
import type { DnsRecord } from '#client/client.ts';
import { adjust, endpointsOf, placeOf } from '#external-dns/endpoints.ts';
import { planChanges, setsOf } from '#external-dns/plan.ts';
import { changes, type Endpoint } from '#external-dns/protocol.ts';

const zones = [
  { id: 'zone_1', zoneName: 'example.org' },
  { id: 'zone_2', zoneName: 'dev.example.org' },
];
const zone = zones[0] as (typeof zones)[0];
const record = (id: string, name: string, type: DnsRecord['type'], content: string, more = {}): DnsRecord => ({
  id,
  name,
  type,
  content,
  ttl: 3600,
  priority: null,
  ...more,
});
const endpoint = (dnsName: string, recordType: string, targets: string[], more = {}): Endpoint => ({
  dnsName,
  recordType,
  targets,
  ...more,
});
const plan = (wanted: object, stored: DnsRecord[] = []) => planChanges(setsOf(changes.parse(wanted), zones), stored);

test('a name belongs to the longest zone that encloses it, and to none by its ending alone', () => {
  expect(placeOf('a.dev.example.org', zones)).toEqual({ zone: zones[1], name: 'a' });
  expect(placeOf('Example.ORG.', zones)).toEqual({ zone, name: '@' });
  expect(placeOf('badexample.org', zones)).toBeNull();
});

describe('the plan', () => {
  const owner = '"heritage=external-dns,external-dns/owner=a"';
  const www = endpoint('www.example.org', 'A', ['192.0.2.1', '192.0.2.2'], { recordTTL: 60 });
  const txt = endpoint('a-www.example.org', 'TXT', [owner]);

  test('creates the ownership TXT before the record, and deletes it after it', () => {
    expect(plan({ create: [www, txt] })).toEqual([
      { action: 'create', record: { name: 'a-www', type: 'TXT', content: owner } },
      { action: 'create', record: { name: 'www', type: 'A', content: '192.0.2.1', ttl: 60 } },
      { action: 'create', record: { name: 'www', type: 'A', content: '192.0.2.2', ttl: 60 } },
    ]);
    const stored = [
      record('1', 'a-www', 'TXT', owner),
      record('2', 'www', 'A', '192.0.2.1'),
      record('3', 'www', 'A', '192.0.2.9'),
    ];
    expect(plan({ delete: [txt, www] }, stored)).toEqual([
      { action: 'delete', id: '2' },
      { action: 'delete', id: '1' },
    ]);
  });

  test('replaces a value that is no longer wanted, and does not touch the others', () => {
    const stored = [record('1', 'www', 'A', '192.0.2.1'), record('2', 'www', 'A', '192.0.2.2')];
    const updateNew = [endpoint('www.example.org', 'A', ['192.0.2.1', '192.0.2.3'])];
    expect(plan({ updateOld: [www], updateNew }, stored)).toEqual([
      { action: 'update', id: '2', record: { name: 'www', type: 'A', content: '192.0.2.3', ttl: 3600 } },
    ]);
  });

  test('changes nothing that is as it should be, and a TTL where only that differs', () => {
    const stored = [record('1', 'mail', 'MX', 'mx.example.org', { priority: 5 })];
    const mail = endpoint('mail.example.org', 'MX', ['5 MX.example.org.']);
    expect(plan({ create: [mail] }, stored)).toEqual([]);
    expect(plan({ updateOld: [mail], updateNew: [{ ...mail, recordTTL: 60 }] }, stored)).toEqual([
      {
        action: 'update',
        id: '1',
        record: { name: 'mail', type: 'MX', content: 'mx.example.org', priority: 5, ttl: 60 },
      },
    ]);
  });

  test('removes a CNAME before an address takes its name', () => {
    const stored = [record('1', 'www', 'CNAME', 'x.example.net')];
    const wanted = {
      create: [endpoint('www.example.org', 'A', ['192.0.2.1'])],
      delete: [endpoint('www.example.org', 'CNAME', ['x.example.net'])],
    };
    expect(plan(wanted, stored).map(({ action }) => action)).toEqual(['delete', 'create']);
  });
});

describe('endpoints', () => {
  test('come back as they were adjusted: every type that external-dns knows', () => {
    const wanted = [
      endpoint('example.org', 'CNAME', ['LB.example.net.'], { labels: { resource: 'service/default/a' } }),
      endpoint('www.example.org', 'AAAA', ['2001:DB8::0001'], { recordTTL: 5 }),
      endpoint('mail.example.org', 'MX', ['10 MX.example.org.', '20 mx2.example.org']),
      endpoint('_sip._tcp.example.org', 'SRV', ['10 5 5060 sip.example.org.']),
      endpoint('sub.example.org', 'NS', ['ns1.example.net']),
      endpoint('1.example.org', 'PTR', ['host.example.org']),
      endpoint('t.example.org', 'TXT', ['v=spf1 include:x -all', '"two" "strings"']),
    ];
    const { endpoints, dropped } = adjust(wanted, zones);
    expect(dropped).toEqual([]);
    expect(endpoints[0]).toMatchObject({
      targets: ['lb.example.net'],
      providerSpecific: [{ name: 'alias', value: 'true' }],
      labels: { resource: 'service/default/a' },
    });
    expect(endpoints[1]).toMatchObject({ targets: ['2001:db8::1'], recordTTL: 30 });
    const created = planChanges(setsOf(changes.parse({ create: endpoints }), zones), []);
    expect(created[created.findIndex((each) => 'record' in each && each.record.name === '@')]).toMatchObject({
      record: { type: 'ALIAS' },
    });
    const stored = created.map((change, at) =>
      record(String(at), '', 'A', '', { ttl: 300, ...('record' in change ? change.record : {}) }),
    );
    const back = endpointsOf(zone, stored);
    const plain = (list: Endpoint[]) =>
      list
        .map(({ dnsName, recordType, targets, providerSpecific = [] }) => ({
          dnsName,
          recordType,
          targets: targets.toSorted(),
          providerSpecific,
        }))
        .sort((a, b) => (a.dnsName < b.dnsName ? -1 : 1));
    expect(plain(back)).toEqual(plain(endpoints));
  });

  test('are ignored with a reason when the service cannot store them', () => {
    const { endpoints, dropped } = adjust(
      [
        endpoint('www.example.com', 'A', ['192.0.2.1']),
        endpoint('n.example.org', 'NAPTR', ['x']),
        endpoint('w.example.org', 'A', ['192.0.2.1'], { setIdentifier: 'blue' }),
      ],
      zones,
    );
    expect(endpoints).toEqual([]);
    expect(dropped).toEqual([
      'www.example.com A: no zone of the key contains it',
      'n.example.org NAPTR: the service has no such type',
      'w.example.org A: routing policies (setIdentifier) are not supported',
    ]);
  });

  test('leave types alone that external-dns does not know', () => {
    expect(endpointsOf(zone, [record('1', '@', 'CAA', '0 issue "ca.example"')])).toEqual([]);
  });
});
