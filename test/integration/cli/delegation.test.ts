// `zonestead delegation` with a real parent: BIND has the parent zones, and a name server of one of them does not
// answer. BIND is also the resolver, which here has exactly the records of the parent.
import { isIPv6 } from 'node:net';
import { beforeAll, expect, test } from 'vitest';
import { showDelegation } from '#cli/delegation.ts';
import { withSession } from '#cli/rest/session.ts';
import type { ZoneCreated } from '#contract/zone.ts';
import { createParentLookup } from '#nameserver/probe/parent.ts';
import type { ProbeEndpoint } from '#nameserver/probe/probe.ts';
import { startParent } from '../../support/dns/parent-server.ts';
import { NAMESERVERS, startTestService } from '../../support/service/service.ts';

const { signal } = new AbortController();
const service = await startTestService({ nameserver: false });
const key = await service.key();
const [FIRST = '', SECOND = ''] = NAMESERVERS;
/**
 * The records of the children at the parent: `parent.example`, and `silent.example`, whose only name server does not
 * answer.
 */
const CHILDREN = ['right', 'unsigned', 'mismatch', 'half', 'half-signed', 'elsewhere', 'nowhere'];
const zones = new Map<string, ZoneCreated>();
let parent: ProbeEndpoint;

const nsOf = (child: string, ...hosts: string[]) => hosts.map((host) => `${child} 600 IN NS ${host}.\n`).join('');
const dsOf = (child: string) => {
  const [ds] = zones.get(child)?.ds ?? [];
  return `${child} 600 IN DS ${ds?.keyTag} ${ds?.algorithm} ${ds?.digestType} ${ds?.digest}\n`;
};
const otherDs = (child: string) => `${child} 600 IN DS 4711 13 2 ${'ab'.repeat(32)}\n`;

beforeAll(async () => {
  for (const child of CHILDREN) zones.set(child, await service.zone(`${child}.parent.example`, key));
  await service.zone('child.silent.example', key);
  zones.set('child', await service.zone('child.six.example', key));
  const head = (server: string, address: string) => {
    const type = isIPv6(address) ? 'AAAA' : 'A';
    return `@ 600 IN SOA ${server} hostmaster 1 600 600 600 60\n@ 600 IN NS ${server}\n${server} 600 IN ${type} ${address}\n`;
  };
  const parts = [
    head('ns', '127.0.0.1'),
    nsOf('right', FIRST, SECOND) + dsOf('right'),
    nsOf('unsigned', FIRST, SECOND),
    nsOf('mismatch', FIRST, SECOND) + otherDs('mismatch'),
    nsOf('half', FIRST),
    nsOf('half-signed', SECOND) + dsOf('half-signed'),
    nsOf('elsewhere', 'ns1.other.test', 'ns2.other.test') + otherDs('elsewhere'),
  ];
  ({ at: parent } = await startParent({
    'parent.example': parts.join(''),
    'silent.example': head('ns', '127.0.0.99'),
    'six.example': head('ns', '::1') + nsOf('child', FIRST, SECOND) + dsOf('child'),
  }));
});

/** The words of the command for this zone. */
async function told(zone: string, resolver: ProbeEndpoint = parent): Promise<string> {
  const lines: string[] = [];
  const config = { ZONESTEAD_URL: service.url, ZONESTEAD_API_KEY: key.text };
  const resolvers = [resolver];
  const lookUp = createParentLookup({ resolvers, overrides: new Map(), mayQuery: () => true, port: parent.port });
  await withSession(
    config,
    { output: 'table' },
    { print: (line) => void lines.push(line), warn: () => undefined, signal },
    (session) =>
      showDelegation(session, zone, { resolvers: [{ host: resolver.address, port: resolver.port }], lookUp }),
  );
  return lines.join('\n');
}

const WHERE = 'at the parent zone parent.example';

test.each<[string, string, (zone: string) => string]>([
  ['right', 'delegates right', (zone) => `${zone} is delegated to this service, with its DS record.`],
  ['unsigned', 'has no DS', () => `Add the DS record ${WHERE}: ${zones.get('unsigned')?.ds[0]?.record}.`],
  [
    'mismatch',
    'has the DS of another key',
    () => `Remove the DS record ${WHERE} now: validating resolvers reject the zone, because its keys are others.`,
  ],
  ['half', 'lacks a name server', (zone) => `Add the missing records ${WHERE}: ${zone}. NS ${SECOND}.`],
  [
    'half-signed',
    'lacks a name server, and has our DS',
    (zone) => `Add the missing records ${WHERE}: ${zone}. NS ${FIRST}.`,
  ],
  [
    'elsewhere',
    'delegates to another operator, who signs',
    () =>
      `Remove the DS record ${WHERE}, and keep the NS records. Resolvers keep the DS record for up to 600 s. Then run this command again.`,
  ],
  [
    'nowhere',
    'has no NS records',
    (zone) => `Add these records ${WHERE}: ${zone}. NS ${FIRST}., ${zone}. NS ${SECOND}.`,
  ],
])('the command tells the next step of %s, whose parent %s', async (child, _how, expected) => {
  const zone = `${child}.parent.example`;
  expect(await told(zone)).toBe(expected(zone));
});

test('a parent whose only name server has an IPv6 address is queried, through a resolver with an IPv6 address', async () => {
  expect(await told('child.six.example', { address: '::1', port: parent.port })).toBe(
    'child.six.example is delegated to this service, with its DS record.',
  );
});

test('a parent that does not answer is named in the error', async () => {
  await expect(told('child.silent.example')).rejects.toThrow(
    /^the parent zone of child\.silent\.example cannot be queried: no name server of silent\.example answers\. .* Run it again, or on a machine that reaches both$/,
  );
});

test('a resolver that does not answer is named in the error', async () => {
  await expect(told('right.parent.example', { address: '127.0.0.1', port: 1 })).rejects.toThrow(
    /^the parent zone of right\.parent\.example cannot be queried: the resolver .*\. The command needs a resolver \(ZONESTEAD_RESOLVER/,
  );
});

test('a zone that does not exist is named in the error', async () => {
  await expect(told('unknown.parent.example')).rejects.toThrow(
    'no zone unknown.parent.example that this API key can see; "zonestead zones list" lists the zones',
  );
});
