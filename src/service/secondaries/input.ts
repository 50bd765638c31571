// The description of a secondary as an administrator gives it. Pure.

import { parseZoneName } from '#dns/names/name.ts';
import {
  checkedSecondary,
  DEFAULT_TSIG_ALGORITHM,
  defaultTsigName,
  type Endpoint,
  endpointText,
  type SecondaryKey,
  TSIG_ALGORITHMS,
  tsigSecretOctets,
} from '#dns/secondaries/secondary.ts';
import type { NewSecondary } from '#store/secondaries.ts';
import { insist } from '../refusal.ts';

/** To whom a secondary is offered. */
export interface OfferInput {
  /** The owners of all zones. (Default: false.) */
  all?: boolean | undefined;
  /** Names of teams. */
  teams?: readonly string[] | undefined;
  /** `team/namespace`: Kubernetes namespaces whose operator has a key of the team. */
  namespaces?: readonly string[] | undefined;
}

export interface SecondaryInput {
  name: string;
  /** `192.0.2.1`, `192.0.2.1:5353`, `2001:db8::1` or `[2001:db8::1]:5353`. */
  addresses: readonly string[];
  /** Addresses and networks. */
  transfersFrom?: readonly string[] | undefined;
  /** Host names that it adds to the NS records of its zones. */
  nameservers?: readonly string[] | undefined;
  /** The names of zones, or all of them. (Default: those that are listed already.) */
  zones?: 'all' | readonly string[] | undefined;
  catalog?: boolean | undefined;
  notify?: boolean | undefined;
  /** Whether it may transfer over TLS only. (Default: false.) */
  requireTls?: boolean | undefined;
  /** The pins of its certificates. Absent: it needs none. */
  pins?: readonly string[] | undefined;
  /** Absent: the offers stay as they are; a new secondary is not offered. */
  offer?: OfferInput | undefined;
  tsig?: { name?: string | undefined; algorithm?: string | undefined; secret?: string | undefined } | undefined;
}

/** The changes of a secondary; an absent field stays as it is. */
export type SecondaryChange = Omit<SecondaryInput, 'name' | 'addresses' | 'zones'> & {
  addresses?: readonly string[] | undefined;
  /** `listed`: no longer all zones, only those of the list, which stays. */
  zones?: SecondaryInput['zones'] | 'listed' | undefined;
};

/** The description of a secondary that exists, with the changes. */
export function changedInput(row: Omit<NewSecondary, 'offeredToAll'>, change: SecondaryChange): SecondaryInput {
  const {
    addresses = row.addresses.map(endpointText),
    transfersFrom = row.transfersFrom,
    nameservers = row.nameservers,
    zones = row.allZones ? 'all' : 'listed',
    catalog = row.catalog,
    notify = row.notify,
    requireTls = row.requireTls,
    pins = row.pins,
    offer,
    tsig,
  } = change;
  const list = zones === 'listed' ? undefined : zones;
  return {
    name: row.name,
    addresses,
    transfersFrom,
    nameservers,
    zones: list,
    catalog,
    notify,
    requireTls,
    pins,
    offer,
    tsig,
  };
}

const DNS_PORT = 53;

/** @param defaultPort for a text without port. (Default: 53.) */
export function parseSecondaryEndpoint(text: string, defaultPort = DNS_PORT): Endpoint {
  const [, bracketedAddress, v6Port, plain, v4Port] =
    /^(?:\[([^\]]+)\](?::(\d{1,5}))?|([^:]+)(?::(\d{1,5}))?)$/.exec(text) ?? [];
  const port = v6Port ?? v4Port;
  return { address: bracketedAddress ?? plain ?? text, port: port === undefined ? defaultPort : Number(port) };
}

/**
 * The row of a secondary.
 * @param currentTerms the values that stay unless the input has others. Null: the secondary is new, and a key is made
 * @returns with `made`: whether the secret was made here
 * @throws Error or Refusal that say what is wrong
 */
export function secondaryRow(
  input: SecondaryInput,
  currentTerms: { key: SecondaryKey; offeredToAll: boolean } | null,
  random: (bytes: number) => Buffer,
): { row: NewSecondary; made: boolean } {
  const { name, zones = [], catalog = true, notify = true, requireTls = false, pins = [], tsig = {} } = input;
  const algorithm = parseAlgorithm(tsig.algorithm ?? currentTerms?.key.algorithm ?? DEFAULT_TSIG_ALGORITHM);
  const keyName = tsig.name ?? currentTerms?.key.name ?? defaultTsigName(name);
  const isKept = currentTerms !== null && tsig.secret === undefined && currentTerms.key.algorithm === algorithm;
  const isGenerated = tsig.secret === undefined && !isKept;
  const secret =
    tsig.secret ?? (isKept ? currentTerms.key.secret : random(tsigSecretOctets(algorithm)).toString('base64'));
  const checkedInput = checkedSecondary({
    name,
    addresses: input.addresses.map((text) => parseSecondaryEndpoint(text)),
    transfersFrom: input.transfersFrom ?? [],
    key: { name: keyName, algorithm, secret },
    zones,
    catalog,
    notify,
    requireTls,
    pins,
  });
  return {
    made: isGenerated,
    row: {
      name,
      addresses: [...checkedInput.addresses],
      transfersFrom: [...(checkedInput.transfersFrom ?? [])],
      tsigName: keyName,
      tsigAlgorithm: algorithm,
      tsigSecret: secret,
      nameservers: [...new Set((input.nameservers ?? []).map((host) => insist(parseZoneName(host))))],
      allZones: zones === 'all',
      catalog,
      notify,
      requireTls,
      pins: [...(checkedInput.pins ?? [])],
      offeredToAll: input.offer === undefined ? (currentTerms?.offeredToAll ?? false) : input.offer.all === true,
    },
  };
}

const NAMESPACE = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** The team and the namespace of `team/namespace`. @throws Error that says what would be accepted */
export function parseOfferedNamespace(text: string): { team: string; namespace: string } {
  const at = text.lastIndexOf('/');
  const namespace = text.slice(at + 1);
  if (at > 0 && NAMESPACE.test(namespace)) return { team: text.slice(0, at), namespace };
  throw new Error(
    `${JSON.stringify(text)} must be a team and a Kubernetes namespace, such as platform/shop; the team is the one that the operator's key belongs to`,
  );
}

function parseAlgorithm(text: string): SecondaryKey['algorithm'] {
  const knownAlgorithm = TSIG_ALGORITHMS.find((each) => each === text);
  if (knownAlgorithm === undefined)
    throw new Error(`the algorithm of the TSIG key must be one of ${TSIG_ALGORITHMS.join(', ')}`);
  return knownAlgorithm;
}
