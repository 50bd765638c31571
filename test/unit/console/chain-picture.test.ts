// The drawing of the chain of trust: its contents, and that nothing overlaps.
import { describe, expect, it } from 'vitest';
import { drawChain } from '#console/live/chain-picture.ts';
import type { ChainOfTrust } from '#dns/dnssec/chain-of-trust.ts';

const KEY = { keyTag: 14301, algorithm: 13, flags: 257, state: 'valid' as const };

function chain(change: Partial<ChainOfTrust> = {}): ChainOfTrust {
  return {
    zone: 'example.org',
    ds: {
      state: 'valid',
      reason: 'The parent points at a key that is served.',
      entries: [{ keyTag: 14301, algorithm: 13, digestType: 2, digest: 'ab', state: 'valid' }],
    },
    dnskey: { state: 'valid', reason: 'Signed.', entries: [KEY] },
    rrsig: {
      state: 'valid',
      reason: 'Good.',
      entries: [
        {
          ...{ keyTag: 14301, algorithm: 13, covers: 1, state: 'valid' },
          inception: new Date('2026-11-12T00:00:00Z'),
          expiration: new Date('2026-12-03T00:00:00Z'),
        },
      ],
    },
    ...change,
  };
}

describe('the picture of the chain of trust', () => {
  it('shows key tags, algorithms, digests and days', () => {
    const { boxes } = drawChain(chain(), () => 'A');
    expect(boxes.map(({ heading }) => heading)).toEqual([
      'DS at the parent',
      'DNSKEY of the zone',
      'RRSIG of the answer',
    ]);
    expect(boxes.flatMap(({ lines }) => lines)).toEqual([
      '✓ key 14301 · ECDSA P-256 · SHA-256',
      '✓ key 14301 · ECDSA P-256',
      '✓ key 14301 · over A',
      '2026-11-12 to 2026-12-03',
    ]);
  });

  it('breaks the arrow at a link that is not valid, and describes it in words', () => {
    const picture = drawChain(
      chain({ ds: { state: 'missing', reason: 'The parent has no DS.', entries: [] } }),
      () => 'A',
    );
    expect(picture.arrows.map(({ holds }) => holds)).toEqual([false, true]);
    expect(picture.boxes[0]?.verdict).toBe('– missing');
    expect(picture.desc).toMatch(/^DS at the parent: missing\. The parent has no DS\. DNSKEY of the zone: valid\./);
  });

  it('keeps its boxes apart and within its height, for any number of keys', () => {
    const many = Array.from({ length: 9 }, (_, at) => ({ ...KEY, keyTag: at }));
    const { boxes, height } = drawChain(chain({ dnskey: { state: 'valid', reason: '', entries: many } }), () => 'A');
    expect(boxes[1]?.lines).toEqual([...[0, 1, 2].map((tag) => `✓ key ${tag} · ECDSA P-256`), 'and 6 more']);
    for (const [at, box] of boxes.entries()) expect(box.y + box.height).toBeLessThan(boxes[at + 1]?.y ?? height);
  });
});
