// The clients of others that tests run against the service. docs/reference/dns-clients.md lists the same.
import { readFileSync } from 'node:fs';

export interface TestedClient {
  door: 'DNS updates' | 'PowerDNS API' | 'dyndns2';
  client: string;
  version: string;
  /** The server that the same test runs against as well; `-` if the protocol has none of its own. */
  model: string;
  /** The test file, from the root of the project. */
  test: string;
}

const requirements = readFileSync(new URL('../tools/requirements.txt', import.meta.url), 'utf8');

/** @throws Error if the tests do not install this package */
function pinned(name: string): string {
  const version = new RegExp(`^${name}==(\\S+)$`, 'm').exec(requirements)?.[1];
  if (version === undefined) throw new Error(`test/support/tools/requirements.txt has no ${name}`);
  return version;
}

const BIND = 'BIND 9.18';
const POWERDNS = 'PowerDNS 4.7.3';
const OCTODNS = `octoDNS ${pinned('octodns')}`;
const CERTIFICATES = 'test/e2e/doors/certificates.test.ts';
const MOVES = 'test/e2e/doors/octodns.test.ts';
const ADDRESSES = 'test/integration/dyndns/page.test.ts';
const dyndns2 = { door: 'dyndns2', model: '-' } as const;
const updates = { door: 'DNS updates', model: BIND } as const;
const powerDns = { door: 'PowerDNS API', model: POWERDNS } as const;

export const TESTED_CLIENTS: readonly TestedClient[] = [
  { ...updates, client: 'nsupdate', version: '9.18', test: 'test/integration/update/bind.test.ts' },
  { ...updates, client: 'knsupdate', version: '3.2', model: '-', test: 'test/integration/update/tools.test.ts' },
  {
    ...updates,
    client: 'certbot with certbot-dns-rfc2136',
    version: pinned('certbot-dns-rfc2136'),
    test: CERTIFICATES,
  },
  { ...updates, client: 'lego, provider `rfc2136`', version: '4.9.1', test: CERTIFICATES },
  { ...updates, client: `${OCTODNS} with octodns-bind`, version: pinned('octodns-bind'), test: MOVES },
  { ...powerDns, client: 'lego, provider `pdns`', version: '4.9.1', test: CERTIFICATES },
  { ...powerDns, client: `${OCTODNS} with octodns-powerdns`, version: pinned('octodns-powerdns'), test: MOVES },
  { ...dyndns2, client: 'ddclient', version: '3.10', test: ADDRESSES },
  { ...dyndns2, client: 'inadyn', version: '2.10', test: ADDRESSES },
];
