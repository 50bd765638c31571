// The options of `zonestead admin secondaries add` and `change`.
import type { OptionDescription } from '../command.ts';
import { readInput } from '../input.ts';
import type { DryRunOption } from '../options.ts';

export const NAME = [{ usage: '<name>', describe: 'name of the secondary' }];

export const ADDRESS: OptionDescription = {
  flags: '--address <address>',
  describe: 'where it answers and gets NOTIFY: 192.0.2.1, 192.0.2.1:5353 or [2001:db8::1]:5353',
  value: 'list',
};
export const TRANSFERS_FROM: OptionDescription = {
  flags: '--transfers-from <address>',
  describe: 'a further address or network (10.244.0.0/16) that it transfers from',
  value: 'list',
};
export const NS: OptionDescription = {
  flags: '--ns <host>',
  describe: 'a host name for the NS records of its zones; without one it is hidden',
  value: 'list',
};
export const REQUIRE_TLS: OptionDescription = {
  flags: '--require-tls',
  describe: 'it may transfer over TLS only, which needs Knot DNS 3.4 and a certificate on every node',
};
export const PIN: OptionDescription = {
  flags: '--pin <pin>',
  describe: 'it must have a certificate with this pin: the SHA-256 of the public key in base64; needs --require-tls',
  value: 'list',
};
export const OFFERS: readonly OptionDescription[] = [
  { flags: '--offer-to-all', describe: 'the owner of any zone may choose it (default: no offer)' },
  { flags: '--offer-to-team <team>', describe: 'this team may choose it for its zones', value: 'list' },
  {
    flags: '--offer-to-namespace <team/namespace>',
    describe: "DNSZones of this Kubernetes namespace may choose it; the operator's key belongs to the team",
    value: 'list',
  },
];
export const ALGORITHMS = ['hmac-sha256', 'hmac-sha384', 'hmac-sha512'];

export interface AddOptions extends DryRunOption {
  address?: string[];
  transfersFrom?: string[];
  ns?: string[];
  allZones?: boolean;
  zone?: string[];
  catalog?: boolean;
  notify?: boolean;
  requireTls?: boolean;
  pin?: string[];
  offerToAll?: boolean;
  offerToTeam?: string[];
  offerToNamespace?: string[];
  tsigName?: string;
  tsigAlgorithm?: string;
  tsigSecretFile?: string;
}

/** `false` empties a list. */
export type SecondaryOptions = Omit<AddOptions, 'transfersFrom' | 'ns' | 'pin'> & {
  transfersFrom?: string[] | false;
  ns?: string[] | false;
  pin?: string[] | false;
  offer?: false;
};

/** Absent options are undefined. */
export async function inputOf(given: AddOptions, signal: AbortSignal) {
  if (given.allZones && given.zone) throw new Error('--all-zones and --zone exclude each other');
  const { offerToAll: all, offerToTeam: teams, offerToNamespace: namespaces } = given;
  const { tsigName, tsigAlgorithm, tsigSecretFile: file } = given;
  const isOffer = (all ?? teams ?? namespaces) !== undefined;
  const isKey = (tsigName ?? tsigAlgorithm ?? file) !== undefined;
  const secret = file === undefined ? undefined : (await readInput(file, signal)).trim();
  return {
    addresses: given.address,
    transfersFrom: given.transfersFrom,
    nameservers: given.ns,
    zones: given.allZones ? ('all' as const) : given.zone,
    catalog: given.catalog,
    notify: given.notify,
    requireTls: given.requireTls,
    pins: given.pin,
    offer: isOffer ? { all, teams, namespaces } : undefined,
    tsig: isKey ? { name: tsigName, algorithm: tsigAlgorithm, secret } : undefined,
  };
}
