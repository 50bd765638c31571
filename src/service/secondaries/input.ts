// The description of a secondary as an administrator gives it. Pure.
import { parseZoneName } from '#dns/names/name.ts';
import { checkedSecondary, type Endpoint, TSIG_ALGORITHMS, type TsigKey } from '#dns/secondaries/secondary.ts';
import type { NewSecondary } from '#store/secondaries.ts';
import { insist } from '../refusal.ts';

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
  tsig?: { name?: string | undefined; algorithm?: string | undefined; secret?: string | undefined } | undefined;
}

const DNS_PORT = 53;
const SECRET_OCTETS = { 'hmac-sha256': 32, 'hmac-sha384': 48, 'hmac-sha512': 64 };

/** @throws Error that says what would be accepted */
export function endpointOf(text: string): Endpoint {
  const [, bracketed, v6Port, plain, v4Port] =
    /^(?:\[([^\]]+)\](?::(\d{1,5}))?|([^:]+)(?::(\d{1,5}))?)$/.exec(text) ?? [];
  const port = v6Port ?? v4Port;
  return { address: bracketed ?? plain ?? text, port: port === undefined ? DNS_PORT : Number(port) };
}

/**
 * The row of a secondary.
 * @param kept the key that it has; it stays if the input has no secret. Null: a key is made
 * @returns with `made`: whether the secret was made here
 * @throws Error or Refusal that say what is wrong
 */
export function secondaryRow(
  input: SecondaryInput,
  kept: TsigKey | null,
  random: (bytes: number) => Buffer,
): { row: NewSecondary; made: boolean } {
  const { name, zones = [], catalog = true, notify = true, tsig = {} } = input;
  const algorithm = algorithmOf(tsig.algorithm ?? kept?.algorithm ?? 'hmac-sha256');
  const keyName = tsig.name ?? kept?.name ?? `${name}.zonestead`;
  const isKept = kept !== null && tsig.secret === undefined && kept.algorithm === algorithm;
  const made = tsig.secret === undefined && !isKept;
  const secret = tsig.secret ?? (isKept ? kept.secret : random(SECRET_OCTETS[algorithm]).toString('base64'));
  const checked = checkedSecondary({
    name,
    addresses: input.addresses.map(endpointOf),
    transfersFrom: input.transfersFrom ?? [],
    key: { name: keyName, algorithm, secret },
    zones,
    catalog,
    notify,
  });
  return {
    made,
    row: {
      name,
      addresses: [...checked.addresses],
      transfersFrom: [...(checked.transfersFrom ?? [])],
      tsigName: keyName,
      tsigAlgorithm: algorithm,
      tsigSecret: secret,
      nameservers: [...new Set((input.nameservers ?? []).map((host) => insist(parseZoneName(host))))],
      allZones: zones === 'all',
      catalog,
      notify,
    },
  };
}

function algorithmOf(text: string): TsigKey['algorithm'] {
  const found = TSIG_ALGORITHMS.find((each) => each === text);
  if (found === undefined)
    throw new Error(`the algorithm of the TSIG key must be one of ${TSIG_ALGORITHMS.join(', ')}`);
  return found;
}
