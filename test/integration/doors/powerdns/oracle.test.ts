// The same requests go to a real PowerDNS 4.7.3 and to our API, and the answers are compared. The answers that differ
// on purpose are in the second test, each with its reason.
import { expect, test } from 'vitest';
import {
  formatRrsets,
  type PowerDnsReply,
  type PowerDnsRequest,
  powerDnsClient,
  type RrsetJson,
  replace,
} from '../../../support/doors/powerdns/client.ts';
import { startPowerDns } from '../../../support/doors/powerdns/server.ts';
import { startTestService } from '../../../support/service/service.ts';
import { acmeShHeaders, acmeShSteps, valuesForAcmeSh } from './acme-sh.support.ts';
import { comparable } from './compare.support.ts';
import { RECORDED, type RecordedRequest } from './recorded.support.ts';

const service = await startTestService({ nameserver: false });
const ours = powerDnsClient(service.url, service.admin.text);
const theirs = (await startPowerDns()).send;
const both = [ours, theirs] as const;
const ZONE = 'oracle.example.';
const www = `www.${ZONE}`;

type Step = readonly [method: Parameters<PowerDnsRequest>[0], path: string, body?: unknown];

const patch = (...rrsets: unknown[]): Step => ['PATCH', `/zones/${ZONE}`, { rrsets }];
const change = (name: string, type: string, changetype: string, more: object = {}) => ({
  name,
  type,
  changetype,
  ...more,
});
const records = (...contents: string[]) => ({ records: contents.map((content) => ({ content, disabled: false })) });

async function answers(step: Step) {
  const [mine, real] = await Promise.all(both.map((send) => send(...step)));
  return { mine: mine as PowerDnsReply, real: real as PowerDnsReply };
}

const SAME: readonly Step[] = [
  ['GET', '/api'],
  ['GET', '/api/v1'],
  ['GET', '/api/v1/servers'],
  ['GET', ''],
  ['GET', '/zones'],
  ['GET', `/zones?zone=${ZONE}`],
  ['GET', `/zones/${ZONE}`],
  ['GET', `/zones/${ZONE.slice(0, -1)}`],
  ['GET', `/zones/${ZONE}?rrsets=false`],
  ['GET', '/zones/absent.example.'],
  ['PATCH', '/zones/absent.example.', { rrsets: [] }],
  ['DELETE', '/zones/absent.example.'],
  ['POST', '/zones', { name: ZONE, kind: 'Native', nameservers: [] }],
  patch(replace(www, 'A', ['192.0.2.1', '192.0.2.2'])),
  ['GET', `/zones/${ZONE}`],
  patch(replace(www, 'A', ['192.0.2.2', '192.0.2.1'])),
  patch(replace(www.toUpperCase(), 'AAAA', ['2001:DB8::1'])),
  ['GET', `/zones/${ZONE}`],
  patch(replace(www, 'CNAME', ['target.example.net.'])),
  patch(change(www, 'A', 'DELETE'), change(www, 'AAAA', 'DELETE'), replace(www, 'CNAME', ['target.example.net.'])),
  ['GET', `/zones/${ZONE}`],
  patch(replace(www, 'TXT', ['"text"'])),
  patch(replace(`many.${ZONE}`, 'CNAME', ['a.example.net.', 'b.example.net.'])),
  patch(replace(ZONE, 'CNAME', ['a.example.net.'])),
  patch(
    replace(ZONE, 'MX', ['10 mail.example.net.', '20 mail2.example.net.']),
    replace(ZONE, 'TXT', ['"v=spf1 -all"', '"two" "parts"']),
  ),
  patch(replace(`_sip._tcp.${ZONE}`, 'SRV', ['10 5 5060 sip.example.net.'])),
  patch(replace(ZONE, 'CAA', ['0 issue "letsencrypt.org"'])),
  patch(replace(`alias.${ZONE}`, 'ALIAS', ['target.example.net.'])),
  patch(replace(`sub.${ZONE}`, 'NS', ['ns1.example.net.'])),
  patch(replace(`*.wild.${ZONE}`, 'A', ['192.0.2.9'])),
  patch(replace(`type.${ZONE}`, 'TYPE65280', ['\\# 4 c0000201'])),
  ['GET', `/zones/${ZONE}`],
  // Requests that are wrong.
  patch(replace('www', 'A', ['192.0.2.1'])),
  patch(replace('www.other.example.', 'A', ['192.0.2.1'])),
  patch(replace(www, 'UNKNOWN', ['x'])),
  patch(replace(`new.${ZONE}`, 'A', ['not-an-address'])),
  patch(replace(`new.${ZONE}`, 'A', ['192.0.2.1', '192.0.2.1'])),
  patch(replace(`new.${ZONE}`, 'CNAME', ['relative.example'])),
  patch(replace(`new.${ZONE}`, 'MX', ['mail.example.net.'])),
  patch(replace(`new.${ZONE}`, 'MX', ['10 mail.example.net'])),
  patch(replace(`new.${ZONE}`, 'SRV', ['10 5 5060 sip.example.net'])),
  patch({ ...change(`new.${ZONE}`, 'A', 'REPLACE'), ...records('192.0.2.1') }),
  patch(change(`new.${ZONE}`, 'A', 'REPLACE')),
  patch({ name: `new.${ZONE}`, type: 'A' }),
  patch({ type: 'A', changetype: 'DELETE' }),
  patch({ name: `new.${ZONE}`, changetype: 'DELETE' }),
  patch(change(`new.${ZONE}`, 'A', 'MERGE')),
  patch(replace(`new.${ZONE}`, 'A', ['192.0.2.1']), replace(`new.${ZONE}`, 'A', ['192.0.2.2'])),
  patch(change(`new.${ZONE}`, 'A', 'DELETE'), change(`new.${ZONE}`, 'A', 'DELETE')),
  patch({ ...replace(`new.${ZONE}`, 'A', []), records: [{ content: 5 }] }),
  patch({ ...replace(`new.${ZONE}`, 'A', []), records: 'none' }),
  patch('text'),
  patch(null),
  ['PATCH', `/zones/${ZONE}`, {}],
  ['PATCH', `/zones/${ZONE}`, { rrsets: 'all' }],
  ['PATCH', `/zones/${ZONE}`, '{"rrsets":'],
  ['PATCH', `/zones/${ZONE}`, '[]'],
  ['GET', `/zones/${ZONE}`],
  // Requests without an effect, and requests with fields that only some clients send.
  patch(),
  patch(change(`absent.${ZONE}`, 'A', 'DELETE', { ttl: 60, ...records('192.0.2.1') })),
  patch(change('www.other.example.', 'A', 'DELETE')),
  patch({ ...replace(`new.${ZONE}`, 'A', []), ttl: 0 }),
  patch({ ...replace(`new.${ZONE}`, 'A', ['192.0.2.1']), kind: 'Master', id: 7, changetype: 'replace' }),
  patch({
    ...replace(`new.${ZONE}`, 'A', []),
    records: [{ content: '192.0.2.7', disabled: false, name: `new.${ZONE}`, type: 'A', ttl: 60, 'set-ptr': false }],
  }),
  ['GET', `/zones/${ZONE}`],
  ['POST', '/zones', { name: ZONE, kind: 'Native', nameservers: [] }],
  ['POST', '/zones', { name: '', kind: 'Native', nameservers: [] }],
  ['POST', '/zones', { kind: 'Native', nameservers: [] }],
  ['POST', '/zones', '{'],
  ['PUT', `/zones/${ZONE}`, { kind: 'Native', account: '' }],
  ['PUT', `/zones/${ZONE}`, { kind: 'Master', account: 'admin', soa_edit_api: 'INCREASE', api_rectify: false }],
  ['GET', `/zones/${ZONE}?rrsets=false`],
  ['GET', `/zones/${ZONE}?rrsets=foobar`],
  ['GET', `/zones?zone=${ZONE}&dnssec=false`],
  ['PUT', '/cache/flush'],
  ['PUT', '/cache/flush?domain=relative.example'],
  patch(replace(`empty.${ZONE}`, 'TXT', [''])),
  ['PUT', `/zones/${ZONE}/rectify`],
  ['PUT', '/zones/absent.example./notify'],
  ['PUT', `/zones/${ZONE}/notify`],
  ['GET', '/search-data?q=target.example.net*&max=10&object_type=zone'],
  ['GET', '/nothing'],
  ['DELETE', `/zones/${ZONE}`],
  ['GET', '/zones'],
];

test('PowerDNS and the service give the same answers', async () => {
  const different: unknown[] = [];
  for (const step of SAME) {
    const { mine, real } = await answers(step);
    const [left, right] = [comparable(mine), comparable(real)];
    try {
      expect(left).toEqual(right);
    } catch {
      different.push({
        step: JSON.stringify(step),
        ours: { ...left, text: mine.text.slice(0, 300) },
        theirs: { ...right, text: real.text.slice(0, 300) },
      });
    }
  }
  expect(different).toEqual([]);
});

const DIFFERENT: readonly { reason: string; step: Step; ours: number; theirs: number }[] = [
  {
    reason: 'PowerDNS fails',
    step: patch({ ...replace(www, 'A', ['192.0.2.1']), ttl: 'sixty' }),
    ours: 422,
    theirs: 500,
  },
  {
    reason: 'PowerDNS stores 4294967295',
    step: patch({ ...replace(www, 'A', ['192.0.2.1']), ttl: -1 }),
    ours: 422,
    theirs: 204,
  },
  { reason: 'an unquoted text is one string', step: patch(replace(www, 'TXT', ['plain'])), ours: 204, theirs: 422 },
  {
    reason: 'PowerDNS has EXTEND since 4.9.12',
    step: patch({ ...replace(www, 'TXT', ['"more"']), changetype: 'EXTEND' }),
    ours: 204,
    theirs: 422,
  },
  {
    reason: 'PowerDNS has PRUNE since 4.9.12',
    step: patch({ ...replace(www, 'TXT', ['"more"']), changetype: 'PRUNE' }),
    ours: 204,
    theirs: 422,
  },
  {
    reason: 'disabled records cannot be kept',
    step: patch({ ...replace(`off.${ZONE}`, 'A', []), records: [{ content: '192.0.2.1', disabled: true }] }),
    ours: 422,
    theirs: 204,
  },
  {
    reason: "the NS records of the apex are the service's",
    step: patch(replace(ZONE, 'NS', ['ns1.elsewhere.example.'])),
    ours: 422,
    theirs: 204,
  },
  {
    reason: "the SOA record is the service's",
    step: patch(replace(ZONE, 'SOA', ['a.example. b.example. 1 2 3 4 5'])),
    ours: 422,
    theirs: 204,
  },
  {
    reason: 'a delegation hides the names below it',
    step: patch(replace(`www.cut.${ZONE}`, 'A', ['192.0.2.1']), replace(`cut.${ZONE}`, 'NS', ['ns1.example.net.'])),
    ours: 422,
    theirs: 204,
  },
  {
    reason: 'a DS record needs NS records',
    step: patch(
      replace(`ds.${ZONE}`, 'DS', ['1 13 2 e2d3c916f6deeac73294e8268fb5885044a833fc5459588f4a9184cfc41a5766']),
    ),
    ours: 422,
    theirs: 204,
  },
  {
    reason: 'LUA records are not served',
    step: patch(replace(`lua.${ZONE}`, 'LUA', ['A "ifportup(443, {\'192.0.2.1\'})"'])),
    ours: 422,
    theirs: 204,
  },
  {
    reason: 'zones are always primary',
    step: ['POST', '/zones', { name: 'slave.example.', kind: 'Slave', masters: ['192.0.2.1'] }],
    ours: 422,
    theirs: 201,
  },
  {
    reason: 'zones have the name servers of the service',
    step: ['POST', '/zones', { name: 'other.example.', kind: 'Native', nameservers: ['ns1.elsewhere.example.'] }],
    ours: 422,
    theirs: 201,
  },
  {
    reason: 'a zone may be named without its final dot',
    step: ['POST', '/zones', { name: 'without-dot.example', kind: 'Native' }],
    ours: 201,
    theirs: 422,
  },
  { reason: 'zones are always signed', step: ['PUT', `/zones/${ZONE}`, { dnssec: false }], ours: 422, theirs: 204 },
  {
    reason: 'each zone has one key',
    step: ['POST', `/zones/${ZONE}/cryptokeys`, { keytype: 'csk', active: true }],
    ours: 422,
    theirs: 201,
  },
];

test('the answers that differ from those of PowerDNS are these', async () => {
  const zone = { name: ZONE, kind: 'Native', nameservers: [] };
  await answers(['POST', '/zones', zone]);
  const found: unknown[] = [];
  for (const { step, reason } of DIFFERENT) {
    const { mine, real } = await answers(step);
    found.push({ reason, step, ours: mine.status, theirs: real.status });
  }
  expect(found).toEqual(DIFFERENT);
});

test('a client may delete the SOA and NS records of a zone, as with PowerDNS', async () => {
  const { mine, real } = await answers(patch(change(ZONE, 'SOA', 'DELETE'), change(ZONE, 'NS', 'DELETE')));
  // PowerDNS really deletes them: it answers with serials only as long as its cache has the SOA record.
  expect([mine.status, real.status]).toEqual([204, 204]);
});

test('the comments of an RRset are those of PowerDNS after each change, and a search finds the same', async () => {
  const zone = 'comments.example.';
  const name = `www.${zone}`;
  const texts = (...all: string[]) => ({ comments: all.map((content) => ({ content, account: 'me' })) });
  const alone = (...all: string[]) => change(name, 'A', 'REPLACE', texts(...all));
  const [one, two] = ['192.0.2.1', '192.0.2.2'];
  await answers(['POST', '/zones', { name: zone, kind: 'Native', nameservers: [] }]);
  const steps = [
    { ...replace(name, 'A', [one]), ...texts('for the shop') },
    replace(name, 'A', [two]),
    alone('for the team'),
    alone(),
    { ...replace(name, 'A', [one, two]), ...texts('first', 'second') },
    replace(name, 'A', [one, two], 60),
    alone('second', 'first'),
    replace(name, 'A', []),
    replace(name, 'A', [one]),
    { ...replace(name, 'A', [one]), ...texts('again') },
    change(name, 'A', 'DELETE'),
    replace(name, 'A', [one]),
  ];
  const commentsOf = ({ body }: PowerDnsReply) =>
    (body as { rrsets: RrsetJson[] }).rrsets.map(({ name: at, type, comments }) => [
      `${at} ${type}`,
      (comments as { content: string }[]).map(({ content }) => content).sort(),
    ]);
  for (const step of steps) {
    const { mine, real } = await answers(['PATCH', `/zones/${zone}`, { rrsets: [step] }]);
    expect([step, mine.status]).toEqual([step, real.status]);
    const seen = await answers(['GET', `/zones/${zone}?rrset_name=${name}&rrset_type=A`]);
    expect([step, commentsOf(seen.mine)]).toEqual([step, commentsOf(seen.real)]);
    for (const query of ['q=*e*&object_type=comment', 'q=first', `q=${name.slice(0, -1)}&object_type=comment`]) {
      const found = await answers(['GET', `/search-data?${query}`]);
      const shapes = [found.mine, found.real].map(({ body }) =>
        (body as object[]).map((each) => JSON.stringify(Object.entries(each).sort())).sort(),
      );
      expect([step, query, shapes[0]]).toEqual([step, query, shapes[1]]);
    }
  }
});

test.each(RECORDED)('$client gets the answers of PowerDNS', async ({ zone, headers, requests, result, last = [] }) => {
  const sendAll = async (steps: readonly RecordedRequest[]) => {
    for (const [method, path, body] of steps) {
      const [mine, real] = await Promise.all(both.map((send) => send(method, path, body, headers(method))));
      expect([method, path, comparable(mine as PowerDnsReply)]).toEqual([
        method,
        path,
        comparable(real as PowerDnsReply),
      ]);
      expect(mine?.status).toBeLessThan(300);
    }
  };
  await sendAll(requests);
  expect(formatRrsets((await ours('GET', `/zones/${zone}`)).body)).toEqual(result);
  await sendAll(last);
});

test('acme.sh gets the answers of PowerDNS with a key for challenges only, and finds its values in them', async () => {
  const zone = 'acme-sh.example';
  const name = `_acme-challenge.www.${zone}`;
  const key = await service.key({ manageZones: 'none', onlyNames: ['_acme-challenge*'], onlyTypes: ['TXT'] });
  await answers(['POST', '/zones', { name: `${zone}.`, kind: 'Native', nameservers: [] }]);
  const servers = [powerDnsClient(service.url, key.text), theirs];
  for (const { request, finds } of acmeShSteps(zone, name, ['first-value', 'second-value'])) {
    const [method, path, body] = request;
    const replies = await Promise.all(servers.map((send) => send(method, path, body, acmeShHeaders(method))));
    const [mine, real] = replies.map(comparable);
    expect([request, mine]).toEqual([request, real]);
    expect(mine?.status).toBeLessThan(300);
    if (finds === undefined) continue;
    for (const { text } of replies) expect(valuesForAcmeSh(text, name)).toEqual([...finds].sort());
  }
  expect(formatRrsets((await ours('GET', `/zones/${zone}.`)).body)).toEqual([]);
});
