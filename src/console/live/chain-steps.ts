// The chain of trust as steps from the root to the answer, for live/chain.eta. Pure.
import type { Ancestor } from '#dns/dnssec/ancestors.ts';
import type { ChainOfTrust } from '#dns/dnssec/chain-of-trust.ts';
import type { LinkState } from '#dns/dnssec/link.ts';

interface Step {
  heading: string;
  /** The CSS class. */
  state: LinkState;
  /** `✓ valid`: the state is never shown by colour alone. */
  verdict: string;
  /** One sentence. */
  reason: string;
  lines: string[];
  /** Whether the chain holds from the step before to this one. */
  holds: boolean;
}

const MAX_LINES = 4;

const VERDICTS: Readonly<Record<LinkState, string>> = {
  valid: '✓ valid',
  missing: '– missing',
  mismatch: '✗ does not match',
  unknown: '? unknown',
};

/** Algorithm numbers of the IANA registry for DNS security. */
const ALGORITHMS: Readonly<Record<number, string>> = {
  8: 'RSA/SHA-256',
  10: 'RSA/SHA-512',
  13: 'ECDSA P-256',
  14: 'ECDSA P-384',
  15: 'Ed25519',
  16: 'Ed448',
};
const DIGESTS: Readonly<Record<number, string>> = { 1: 'SHA-1', 2: 'SHA-256', 4: 'SHA-384' };

/** @param typeName converts the number of a signed type to its name */
export function listChainSteps(chain: ChainOfTrust, typeName: (type: number) => string): Step[] {
  const { above, ds, dnskey, rrsig } = chain;
  const day = (date: Date) => date.toISOString().slice(0, 10);
  const parts = [
    ...above.map(toAncestorStep),
    {
      heading: 'DS at the parent',
      ...pick(ds),
      lines: ds.entries.map(
        (each) =>
          `${formatKey(each)} · ${algorithm(each.algorithm)} · ${DIGESTS[each.digestType] ?? `digest ${each.digestType}`}`,
      ),
    },
    {
      heading: 'DNSKEY of the zone',
      ...pick(dnskey),
      lines: dnskey.entries.map((each) => `${formatKey(each)} · ${algorithm(each.algorithm)}`),
    },
    {
      heading: 'RRSIG of the answer',
      ...pick(rrsig),
      lines: rrsig.entries.flatMap((each) => [
        `${formatKey(each)} · over ${typeName(each.covers)}`,
        `${day(each.inception)} to ${day(each.expiration)}`,
      ]),
    },
  ];
  return parts.map(({ heading, state, reason, lines }, at) => ({
    heading,
    state,
    verdict: VERDICTS[state],
    reason,
    lines:
      lines.length <= MAX_LINES
        ? lines
        : [...lines.slice(0, MAX_LINES - 1), `and ${lines.length - MAX_LINES + 1} more`],
    holds: state === 'valid' && (parts[at - 1]?.state ?? 'valid') === 'valid',
  }));
}

function toAncestorStep({ zone, entries, ...link }: Ancestor) {
  const lines = entries.map((each) => `${formatKey(each)} · ${algorithm(each.algorithm)}`);
  return { heading: zone === '' ? 'The root' : zone, ...pick(link), lines };
}

function algorithm(number: number): string {
  return ALGORITHMS[number] ?? `algorithm ${number}`;
}

function pick({ state, reason }: { state: LinkState; reason: string }) {
  return { state, reason };
}

function formatKey({ state, keyTag }: { state: 'valid' | 'mismatch'; keyTag: number }): string {
  return `${state === 'valid' ? '✓' : '✗'} key ${keyTag}`;
}
