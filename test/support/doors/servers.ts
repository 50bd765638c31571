// The servers that third-party clients are run against: the protocol's own server as the model, and the service. A
// scenario sees no difference between them.
import { randomBytes } from 'node:crypto';
import type { TsigKey } from '#dns/message/tsig.ts';
import type { ProbeEndpoint } from '#nameserver/probe/probe.ts';
import { transfer } from '../knot/secondaries.ts';
import type { KeyOptions } from '../service/keys.ts';
import { NAMESERVERS, type TestService } from '../service/service.ts';
import { updateKey } from './dns-update/client.ts';
import { startPrimary } from './dns-update/primary.ts';
import { formatRrsets, powerDnsClient } from './powerdns/client.ts';
import { startPowerDns } from './powerdns/server.ts';

export interface DoorServer {
  /** In the titles of tests. */
  title: string;
  /** Where resolvers find the zones. */
  dns: ProbeEndpoint;
  /** The zones that it has from the beginning, for clients that cannot create one. Without the final dot. */
  zones: readonly string[];
  /** `name ttl type content`, sorted, without SOA and NS of the apex. @param zone without the final dot */
  records(zone: string): Promise<string[]>;
}

export interface PowerDnsServer extends DoorServer {
  /** Without /api. */
  url: string;
  key: string;
  /** A key that may only answer challenges; the model knows only one key. */
  challengeKey: string;
}

export interface UpdateServer extends DoorServer {
  port: number;
  key: TsigKey;
  /** A key that may only answer challenges; the model knows only one key. */
  challengeKey: TsigKey;
}

/** Restrictions of a key that answers challenges and does nothing else. */
const challenges: KeyOptions = { manageZones: 'none', onlyNames: ['_acme-challenge*'], onlyTypes: ['TXT'] };

/** A real PowerDNS and the service. To be called at the top of a test file. @param zones made at both */
export async function powerDnsServers(service: TestService, zones: readonly string[]): Promise<PowerDnsServer[]> {
  const real = await startPowerDns();
  const challengeKey = (await service.key(challenges)).text;
  const common = (title: string, url: string, key: string, dns: ProbeEndpoint) => {
    const send = powerDnsClient(url, key);
    const records = async (zone: string) => {
      const { body } = await send('GET', `/zones/${zone}.`);
      return formatRrsets(body).flatMap(single).sort();
    };
    return { title, url, key, dns, zones, records, send };
  };
  const servers = [
    { ...common('PowerDNS', real.url, real.key, real.dns), challengeKey: real.key },
    { ...common('Zonestead', service.url, service.admin.text, service.dns), challengeKey },
  ];
  for (const { send, title } of servers) {
    for (const zone of zones) {
      const { status, text } = await send('POST', '/zones', { name: `${zone}.`, kind: 'Native', nameservers: [] });
      if (status !== 201) throw new Error(`${title} did not create ${zone}: ${status} ${text}`);
    }
  }
  return servers;
}

/** BIND and the service, which must have the port of updates. To be called at the top of a test file. */
export async function updateServers(service: TestService, zones: readonly string[]): Promise<UpdateServer[]> {
  const bindKey: TsigKey = { name: 'clients.zonestead', algorithm: 'hmac-sha256', secret: randomBytes(32) };
  const bind = await startPrimary(zones, bindKey, NAMESERVERS);
  const key = await updateKey(service);
  const challengeKey = await updateKey(service, challenges);
  for (const zone of zones) await service.zone(zone);
  const common = (title: string, port: number, tsig: TsigKey) => ({
    title,
    port,
    zones,
    records: async (zone: string) => {
      const secret = Buffer.from(tsig.secret).toString('base64');
      const answer = await transfer(port, zone, { key: `${tsig.algorithm}:${tsig.name}:${secret}` });
      if (answer.includes('Transfer failed')) throw new Error(`${title} did not transfer ${zone}:\n${answer}`);
      return recordLines(answer, zone);
    },
  });
  const at = (port: number) => ({ address: '127.0.0.1', port });
  return [
    { ...common('BIND', bind.port, bindKey), key: bindKey, challengeKey: bindKey, dns: at(bind.port) },
    { ...common('Zonestead', service.updatePort(), key), key, challengeKey, dns: service.dns },
  ];
}

function recordLines(answer: string, zone: string): string[] {
  return answer
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith(';'))
    .map((line) => line.split(/\s+/))
    .filter(([name, , , type = '']) => !(['SOA', 'TSIG'].includes(type) || (type === 'NS' && name === `${zone}.`)))
    .map(([name = '', ttl = '', , type = '', ...data]) => `${name.toLowerCase()} ${ttl} ${type} ${data.join(' ')}`)
    .sort();
}

/** The secret as clients are configured with it. */
export const secretOf = ({ secret }: TsigKey): string => Buffer.from(secret).toString('base64');

/**
 * An RRset as `formatRrsets` gives it, as one text for each record. PowerDNS keeps the escape of a semicolon, which
 * means the same.
 */
function single(rrset: string): string[] {
  const [, name, type, ttl, contents = ''] = /^(\S+) (\S+) (\S+) (.*)$/.exec(rrset) ?? [];
  return contents
    .replaceAll('\\;', ';')
    .split(', ')
    .map((content) => `${name} ${ttl} ${type} ${content}`);
}
