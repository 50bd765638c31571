// The chain of trust as a drawing: boxes below each other with an arrow between them, measured here and drawn by
// live/chain.eta. Colours are classes, because the Content-Security-Policy allows no inline style. Pure.
import type { ChainOfTrust, LinkState } from '#dns/dnssec/chain-of-trust.ts';

interface Box {
  /** The CSS class. */
  state: LinkState;
  /** `✓ valid`: the state is never shown by colour alone. */
  verdict: string;
  heading: string;
  lines: string[];
  y: number;
  height: number;
}

interface Picture {
  title: string;
  /** The whole picture in sentences, for screen readers. */
  desc: string;
  width: number;
  height: number;
  boxes: Box[];
  /** From the bottom of a box to the top of the next one. The line is broken if the chain is. */
  arrows: { from: number; to: number; holds: boolean }[];
}

const WIDTH = 340;
const GAP = 34;
const HEAD = 46;
const LINE = 20;
const FOOT = 10;
const MOST_LINES = 4;

const VERDICTS: Readonly<Record<LinkState, string>> = {
  valid: '✓ valid',
  missing: '– missing',
  mismatch: '✗ does not match',
  unknown: '? not known',
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
export function drawChain(chain: ChainOfTrust, typeName: (type: number) => string): Picture {
  const { zone, ds, dnskey, rrsig } = chain;
  const day = (date: Date) => date.toISOString().slice(0, 10);
  const algorithm = (number: number) => ALGORITHMS[number] ?? `algorithm ${number}`;
  const parts = [
    {
      heading: 'DS at the parent',
      ...pick(ds),
      lines: ds.entries.map(
        (each) =>
          `${mark(each.state)} key ${each.keyTag} · ${algorithm(each.algorithm)} · ${DIGESTS[each.digestType] ?? `digest ${each.digestType}`}`,
      ),
    },
    {
      heading: 'DNSKEY of the zone',
      ...pick(dnskey),
      lines: dnskey.entries.map((each) => `${mark(each.state)} key ${each.keyTag} · ${algorithm(each.algorithm)}`),
    },
    {
      heading: 'RRSIG of the answer',
      ...pick(rrsig),
      lines: rrsig.entries.flatMap((each) => [
        `${mark(each.state)} key ${each.keyTag} · over ${typeName(each.covers)}`,
        `${day(each.inception)} to ${day(each.expiration)}`,
      ]),
    },
  ];
  let y = 1;
  const boxes = parts.map(({ heading, state, lines }): Box => {
    const shown =
      lines.length <= MOST_LINES
        ? lines
        : [...lines.slice(0, MOST_LINES - 1), `and ${lines.length - MOST_LINES + 1} more`];
    const height = HEAD + shown.length * LINE + FOOT;
    const box = { heading, state, verdict: VERDICTS[state], lines: shown, y, height };
    y += height + GAP;
    return box;
  });
  const arrows = boxes.slice(1).map((box, index) => {
    const above = boxes[index] as Box;
    return { from: above.y + above.height, to: box.y, holds: above.state === 'valid' && box.state === 'valid' };
  });
  return {
    title: `Chain of trust of ${zone}`,
    desc: parts.map(({ heading, state, reason }) => `${heading}: ${VERDICTS[state].slice(2)}. ${reason}`).join(' '),
    width: WIDTH,
    height: y - GAP + 1,
    boxes,
    arrows,
  };
}

function pick({ state, reason }: { state: LinkState; reason: string }) {
  return { state, reason };
}

function mark(state: 'valid' | 'mismatch'): string {
  return state === 'valid' ? '✓' : '✗';
}
