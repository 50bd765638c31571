// The steps of a key roll against a model of resolvers, in random orders of proofs and cancellations.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyMoves, currentStep, firstState, planCancel, type RollKey } from '#dns/dnssec/key-roll.ts';
import { wantedDs } from '#dns/dnssec/key-states.ts';
import { dsContents, generateSigningKey, type NewKeyAlgorithm } from '#dns/dnssec/signing-key.ts';

const ZONE = 'shop.example';
const SIGNING: readonly RollKey['state'][] = ['presigning', 'active', 'postsigning'];
const HIDDEN: readonly RollKey['state'][] = ['presigning', 'postsigning'];
const PUBLISHED: readonly RollKey['state'][] = ['published', 'ready', 'withdrawn'];
const [K13, OTHER13, K15] = [generateSigningKey(13), generateSigningKey(13), generateSigningKey(15)];

interface View {
  /** The ids of the keys of the DNSKEY RRset that sign it, of all in it, and of those that sign data. */
  dnskeySigners: number[];
  published: number[];
  dataSigners: number[];
  ds: string[];
}

function viewOf(keys: readonly RollKey[]): View {
  const algorithms = new Set(keys.map(({ algorithm }) => algorithm));
  const ids = (some: readonly RollKey[]) => some.map(({ id }) => id);
  const published = keys.filter(({ state }) => !HIDDEN.includes(state));
  const isDataSigner = ({ state }: RollKey) =>
    SIGNING.includes(state) || (algorithms.size > 1 && PUBLISHED.includes(state));
  return {
    dnskeySigners: ids(published.filter(({ state }) => state !== 'retired')),
    published: ids(published),
    dataSigners: ids(keys.filter(isDataSigner)),
    ds: wantedDs(ZONE, keys),
  };
}

/**
 * Whether a resolver that has kept the DS, the DNSKEY RRset and the data of three moments accepts the data (RFC 4035
 * section 5.3), also one that insists on each algorithm of the DNSKEY RRset (RFC 4035 section 2.2).
 */
function isAccepted(keys: ReadonlyMap<number, RollKey>, atDs: View, atDnskey: View, atData: View): boolean {
  const hasDs = (id: number) => dsContents(ZONE, keys.get(id) as RollKey).some((rdata) => atDs.ds.includes(rdata));
  const isTrusted = atDnskey.dnskeySigners.some(hasDs);
  const algorithms = new Set(atDnskey.published.map((id) => keys.get(id)?.algorithm));
  const signers = atData.dataSigners.filter((id) => atDnskey.published.includes(id));
  return isTrusted && [...algorithms].every((algorithm) => signers.some((id) => keys.get(id)?.algorithm === algorithm));
}

const begin = (algorithm: NewKeyAlgorithm): RollKey[] => {
  const old: RollKey = { ...K13, id: 1, state: 'active' };
  const added = algorithm === 15 ? K15 : OTHER13;
  return [old, { ...added, id: 2, state: firstState(algorithm, [old]) }];
};

test.each([13, 15] as const)(
  'answers are accepted at every moment of a roll to algorithm %s, and after each cancellation',
  (algorithm) => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 12 }), (cancellations) => {
        let keys = begin(algorithm);
        const all = new Map(keys.map((key) => [key.id, key]));
        const initial: RollKey[] = [{ ...K13, id: 1, state: 'active' }];
        let [before, now] = [viewOf(initial), viewOf(keys)];
        const check = () => {
          // Resolvers keep answers of the step before, but none from earlier: a proven step has waited for that.
          for (const ds of [before, now])
            for (const dnskey of [before, now])
              for (const data of [before, now]) expect(isAccepted(all, ds, dnskey, data)).toBe(true);
        };
        check();
        for (const cancels of cancellations) {
          const moves = cancels ? planCancel(keys) : (currentStep(keys)?.next ?? null);
          if (moves === null) continue;
          // A cancellation does not wait for the proof of the step, so the one before it is kept too.
          const kept = cancels ? before : null;
          keys = applyMoves(keys, moves);
          [before, now] = [now, viewOf(keys)];
          check();
          if (kept !== null) expect(isAccepted(all, kept, kept, now)).toBe(true);
        }
        for (let step = currentStep(keys); step !== null; step = currentStep(keys)) {
          keys = applyMoves(keys, step.next);
          [before, now] = [now, viewOf(keys)];
          check();
        }
        expect(keys.map(({ state }) => state)).toEqual(['active']);
      }),
    );
  },
);

test('a roll cannot be cancelled when the new key signs, and not without one', () => {
  let keys = begin(13);
  while (keys.find(({ id }) => id === 2)?.state !== 'active') keys = applyMoves(keys, currentStep(keys)?.next ?? []);
  expect(planCancel(keys)).toBeNull();
  expect(planCancel([{ ...K13, id: 1, state: 'active' }])).toBeNull();
});
