// The chain of trust as steps: their contents, and where the chain breaks.
import { expect, test } from 'vitest';
import { listChainSteps } from '#console/live/chain-steps.ts';
import type { ChainOfTrust } from '#dns/dnssec/chain-of-trust.ts';

const KEY = { keyTag: 14301, algorithm: 13, flags: 257, state: 'valid' as const };

function chain(change: Partial<ChainOfTrust> = {}): ChainOfTrust {
  return {
    zone: 'example.org',
    above: [],
    ds: {
      state: 'valid',
      reason: 'A DS record matches.',
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

test('the steps of the chain of trust show key tags, algorithms, digests, days and reasons', () => {
  const steps = listChainSteps(chain(), () => 'A');
  expect(steps.map(({ heading }) => heading)).toEqual([
    'DS at the parent',
    'DNSKEY of the zone',
    'RRSIG of the answer',
  ]);
  expect(steps.flatMap(({ lines }) => lines)).toEqual([
    '✓ key 14301 · ECDSA P-256 · SHA-256',
    '✓ key 14301 · ECDSA P-256',
    '✓ key 14301 · over A',
    '2026-11-12 to 2026-12-03',
  ]);
  expect(steps.map(({ reason }) => reason)).toEqual(['A DS record matches.', 'Signed.', 'Good.']);
});

test('the steps of the chain of trust begin at the root if a resolver knows the zones above', () => {
  const above = [
    { zone: '', state: 'valid' as const, reason: 'Known.', entries: [{ ...KEY, keyTag: 20326, algorithm: 8 }] },
    { zone: 'org', state: 'missing' as const, reason: 'Unsigned.', entries: [] },
  ];
  const steps = listChainSteps(chain({ above }), () => 'A');
  expect(steps.slice(0, 2)).toMatchObject([
    { heading: 'The root', verdict: '✓ valid', lines: ['✓ key 20326 · RSA/SHA-256'], holds: true },
    { heading: 'org', verdict: '– missing', holds: false },
  ]);
  // The DS itself is valid, but nothing leads to it.
  expect(steps[2]).toMatchObject({ heading: 'DS at the parent', state: 'valid', holds: false });
});

test('the steps of the chain of trust break at a link that is not valid, and after it', () => {
  const steps = listChainSteps(
    chain({ ds: { state: 'missing', reason: 'The parent has no DS.', entries: [] } }),
    () => 'A',
  );
  expect(steps.map(({ holds }) => holds)).toEqual([false, false, true]);
  expect(steps[0]?.verdict).toBe('– missing');
});

test('the steps of the chain of trust are short for any number of keys', () => {
  const many = Array.from({ length: 9 }, (_, at) => ({ ...KEY, keyTag: at }));
  const steps = listChainSteps(chain({ dnskey: { state: 'valid', reason: '', entries: many } }), () => 'A');
  expect(steps[1]?.lines).toEqual([...[0, 1, 2].map((tag) => `✓ key ${tag} · ECDSA P-256`), 'and 6 more']);
});
