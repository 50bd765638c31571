// The third-party clients that tests run against the service. docs/reference/dns-clients.md lists the same.
import { readFileSync } from 'node:fs';
import { CERT_MANAGER_VERSION } from '../../../deploy/local/parts/certmanager-build.ts';
import { EXTERNAL_DNS_VERSION } from '../../support/external-dns/external-dns.ts';
import { COMMUNITY_GENERAL_VERSION } from '../../support/tools/ansible.ts';
import { SUITE_MODULES } from '../../support/tools/suites.ts';

export interface TestedClient {
  door: 'DNS updates' | 'PowerDNS API' | 'dyndns2';
  client: string;
  version: string;
  /** The server that the same test runs against as well; `-` if the protocol has none of its own. */
  model: string;
  /** The test file, from the root of the project. */
  test: string;
}

const requirements = readFileSync(new URL('../../support/tools/requirements.txt', import.meta.url), 'utf8');

/** @throws Error if the tests do not build this module. @param file from test/support/tools */
function required(file: string, module: string): string {
  const text = readFileSync(new URL(`../../support/tools/${file}`, import.meta.url), 'utf8');
  const version = new RegExp(`^(?:require )?\\s*${module} v(\\S+)$`, 'm').exec(text)?.[1];
  if (version === undefined) throw new Error(`test/support/tools/${file} does not require ${module}`);
  return version;
}

/** @throws Error if the tests do not install this package */
function pinned(name: string): string {
  const version = new RegExp(`^${name}==(\\S+) `, 'm').exec(requirements)?.[1];
  if (version === undefined) throw new Error(`test/support/tools/requirements.txt has no ${name}`);
  return version;
}

const BIND = 'BIND 9.18';
const POWERDNS = 'PowerDNS 4.7.3';
const OCTODNS = `octoDNS ${pinned('octodns')}`;
const CERTIFICATES = 'test/e2e/doors/certificates.test.ts';
const MOVES = 'test/e2e/doors/octodns.test.ts';
const DNSCONTROL = required('dnscontrol/go.mod', 'github.com/StackExchange/dnscontrol/v4');
const CONTROLLED = 'test/e2e/doors/dnscontrol.test.ts';
const KUBERNETES = 'test/e2e/doors/external-dns.test.ts';
const EXTERNAL_DNS = EXTERNAL_DNS_VERSION.slice(1);
const SUITES = 'test/e2e/doors/suites.test.ts';
const ADDRESSES = 'test/integration/doors/dyndns/page.test.ts';
const dyndns2 = { door: 'dyndns2', model: '-' } as const;
const updates = { door: 'DNS updates', model: BIND } as const;
const powerDns = { door: 'PowerDNS API', model: POWERDNS } as const;

export const TESTED_CLIENTS: readonly TestedClient[] = [
  { ...updates, client: 'nsupdate', version: '9.18', test: 'test/integration/doors/dns-update/bind.test.ts' },
  {
    ...updates,
    client: 'knsupdate',
    version: '3.2',
    model: '-',
    test: 'test/integration/doors/dns-update/tools.test.ts',
  },
  {
    ...updates,
    client: 'certbot with certbot-dns-rfc2136',
    version: pinned('certbot-dns-rfc2136'),
    test: CERTIFICATES,
  },
  { ...updates, client: 'lego, provider `rfc2136`', version: '4.9.1', test: CERTIFICATES },
  {
    ...updates,
    client: "cert-manager's solver `rfc2136`",
    version: CERT_MANAGER_VERSION.slice(1),
    test: 'test/e2e/certificates/certificates.test.ts',
  },
  { ...updates, client: `${OCTODNS} with octodns-bind`, version: pinned('octodns-bind'), test: MOVES },
  { ...updates, client: 'dnscontrol, provider `AXFRDDNS`', version: DNSCONTROL, test: CONTROLLED },
  {
    ...updates,
    client: `Ansible ${pinned('ansible-core')} with community.general.nsupdate`,
    version: COMMUNITY_GENERAL_VERSION,
    test: 'test/e2e/doors/ansible.test.ts',
  },
  { ...updates, client: 'Kea DHCP-DDNS', version: '2.2.0', test: 'test/integration/doors/dns-update/kea.test.ts' },
  { ...updates, client: 'external-dns, provider `rfc2136`', version: EXTERNAL_DNS, test: KUBERNETES },
  { ...powerDns, client: 'lego, provider `pdns`', version: '4.9.1', test: CERTIFICATES },
  { ...powerDns, client: `${OCTODNS} with octodns-powerdns`, version: pinned('octodns-powerdns'), test: MOVES },
  { ...powerDns, client: 'dnscontrol, provider `POWERDNS`', version: DNSCONTROL, test: CONTROLLED },
  { ...powerDns, client: 'external-dns, provider `pdns`', version: EXTERNAL_DNS, test: KUBERNETES },
  ...Object.values(SUITE_MODULES).map(({ client, version }) => ({
    ...{ ...powerDns, client: `tests of ${client}`, version: version.slice(1), test: SUITES },
  })),
  { ...dyndns2, client: 'ddclient', version: '3.10', test: ADDRESSES },
  { ...dyndns2, client: 'inadyn', version: '2.10', test: ADDRESSES },
];
