// The servers that `zonestead import` reads from: transfers of BIND, Knot and NSD with TSIG, and the API of PowerDNS.
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readSteps } from '#cli/import/read.ts';
import type { SourceZone } from '#cli/import/source.ts';
import { openSources, type SourceOptions } from '#cli/import/sources/open.ts';
import { parseZoneFileSource } from '#cli/import/sources/zone-file.ts';
import type { TsigKey } from '#dns/message/tsig.ts';
import { formatKeyFile } from '../../support/doors/dns-update/primary.ts';
import { startPowerDns } from '../../support/doors/powerdns/server.ts';
import { startTransferSource } from '../../support/knot/transfer-source.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';

const ZONE = 'moved.example';
const folder = await temporaryFolder('import-sources');
const { signal } = new AbortController();

function read(source: SourceZone) {
  const steps = readSteps(source, { defaultTtl: 3600, children: [] });
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
const shown = (source: SourceZone) =>
  read(source)
    .records.map(({ record: { name, ttl, type, rdata } }) => `${name} ${ttl} ${type} ${rdata}`)
    .sort();

async function open(word: string, options: SourceOptions = {}): Promise<SourceZone[]> {
  const zones: SourceZone[] = [];
  for await (const zone of openSources([word], options, signal)) zones.push(zone);
  return zones;
}

/** Enough records for several messages. */
const TEXT = `$ORIGIN ${ZONE}.
$TTL 600
@ SOA ns1 host 1 3600 600 86400 60
@ NS ns1
ns1 A 192.0.2.53
@ MX 5 mail.example.net.
@ TXT "v=spf1; -all" "a \\"quote\\" and \\\\ and \\009"
@ CAA 0 issue "ca.example"
_sip._tcp SRV 1 2 5060 sip.example.net.
h HTTPS 1 . alpn=h2,h3 port=8443
l LOC 52 22 23.000 N 4 53 32.000 E -2.00m 0.00m 10000m 10m
n NAPTR 100 10 "S" "SIP+D2U" "" _sip._udp
i HINFO "PC" "Linux"
t TYPE65280 \\# 3 010203
*.wild 60 A 192.0.2.9
${Array.from({ length: 3_000 }, (_, at) => `n${at} 300 A 192.0.2.${at % 250}`).join('\n')}
`;

describe.each(['bind', 'knot', 'nsd'] as const)('a transfer of %s', async (kind) => {
  const key: TsigKey = { name: 'transfer.test', algorithm: 'hmac-sha256', secret: randomBytes(32) };
  const port = await startTransferSource(kind, ZONE, key, TEXT);
  const fileOf = async (name: string, text: string) => {
    const path = join(folder, `${kind}-${name}`);
    await writeFile(path, text);
    return path;
  };
  const address = `axfr://127.0.0.1:${port}/${ZONE}`;

  test(`a transfer of ${kind} has all records of the zone, in several signed messages`, async () => {
    const [source] = await open(address, { tsigKey: await fileOf('key', formatKeyFile(key)) });
    expect(shown(source!)).toEqual(shown(parseZoneFileSource('source.zone', TEXT)));
    expect(read(source!).refused).toEqual([]);
  });

  test(`a transfer of ${kind} is refused without the key and with another secret, with the reason`, async () => {
    await expect(open(address)).rejects.toThrow(
      /the server (refuses the transfer|does not have this zone|ends|has no)/,
    );
    const other = await fileOf('other', formatKeyFile({ ...key, secret: randomBytes(32) }));
    await expect(open(address, { tsigKey: other })).rejects.toThrow(/: the server .*(BADSIG|NOTAUTH|signature)/);
    await expect(open(`axfr://127.0.0.1:${port}/elsewhere.example`)).rejects.toThrow(/axfr:.*: the server /);
    const broken = await fileOf('broken', 'key x');
    await expect(open(address, { tsigKey: broken })).rejects.toThrow(/is not a TSIG key such as/);
  });
});

describe('PowerDNS', async () => {
  const pdns = await startPowerDns();
  const keyFile = join(folder, 'pdns.key');
  await writeFile(keyFile, `${pdns.key}\n`);
  const word = `powerdns+${pdns.url}`;
  const rrset = (name: string, type: string, contents: string[], more: object = {}) => ({
    name,
    type,
    ttl: 300,
    records: contents.map((content) => ({ content, disabled: false })),
    ...more,
  });
  const zone = `${ZONE}.`;
  const created = await pdns.send('POST', '/zones', {
    name: zone,
    kind: 'Native',
    nameservers: ['ns1.old.example.'],
    rrsets: [
      rrset(`www.${zone}`, 'A', ['192.0.2.1', '192.0.2.2'], {
        comments: [{ content: 'the shop', account: 'x', modified_at: 1 }],
      }),
      rrset(`off.${zone}`, 'A', [], { records: [{ content: '192.0.2.3', disabled: true }] }),
      rrset(zone, 'MX', ['5 mail.example.net.']),
      rrset(`text.${zone}`, 'TXT', ['"semi; colon" "two"']),
      rrset(`alias.${zone}`, 'ALIAS', ['host.example.net.']),
      rrset(`lua.${zone}`, 'LUA', ['A "ifportup(443, {\'192.0.2.1\'})"']),
    ],
  });
  expect(created.status).toBe(201);
  expect((await pdns.send('POST', '/zones', { name: 'other.example.', kind: 'Native', nameservers: [] })).status).toBe(
    201,
  );

  test('PowerDNS gives the records of a zone with their comments, and LUA and disabled records with a sentence', async () => {
    const [source] = await open(`${word}/${ZONE}`, { powerdnsKey: keyFile });
    expect(shown(source!)).toEqual([
      '@ 300 MX 5 mail.example.net.',
      'alias 300 ALIAS host.example.net.',
      'text 300 TXT "semi; colon" "two"',
      'www 300 A 192.0.2.1',
      'www 300 A 192.0.2.2',
    ]);
    const found = read(source!);
    expect(found.records.find(({ record }) => record.name === 'www')?.comment).toBe('the shop');
    expect(found.refused).toEqual([
      { place: `lua.${zone} LUA`, message: expect.stringContaining('program of PowerDNS') },
    ]);
    expect(found.skipped).toContainEqual({ place: `off.${zone} A`, message: 'The record is disabled at PowerDNS.' });
  });

  test('PowerDNS gives all zones without a zone in the address', async () => {
    expect((await open(word, { powerdnsKey: keyFile })).map(({ zone: name }) => name).sort()).toEqual([
      ZONE,
      'other.example',
    ]);
  });

  test('PowerDNS is refused with a wrong key, and for a zone that it does not have', async () => {
    const wrong = join(folder, 'wrong.key');
    await writeFile(wrong, 'wrong');
    await expect(open(word, { powerdnsKey: wrong })).rejects.toThrow('does not accept the key');
    await expect(open(`${word}/absent.example`, { powerdnsKey: keyFile })).rejects.toThrow('has no such zone');
  });
});
