// Random creates, edits, deletes, grants, foreign edits over REST and restarts of the operator, in three namespaces and
// two zones; a model says what DNS must answer once things have settled. Each run walks the same way, TEST_SEED=random
// another one (seed.ts).
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DNSZone } from '#resources/dnszone.ts';
import { effort, nextSeed } from '../../support/runner/seed.ts';
import { type TestStack, zoneObject } from '../../support/stack/stack.ts';
import { NAMESPACES, ZONE_NAMES, ZONES, type ZoneName } from './walk-model.support.ts';
import { step } from './walk-operations.support.ts';
import { Walker } from './walker.support.ts';

/** All of them are walked to their end: an omitted walk would count as one that holds. */
const WALKS = effort(3, 1);
/** Steps until things may settle. */
const PART = 12;

let stack: TestStack;
const ids = {} as Record<ZoneName, string>;
export function settlesAfterRandomWalks(theStack: () => TestStack): void {
  describe('random walks', () => {
    beforeAll(async () => {
      stack = theStack();
      for (const name of NAMESPACES) await stack.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
      await stack.apply(...ZONE_NAMES.map((zone) => zoneObject(zone, `${zone}.example`, {}, ZONES[zone])));
      for (const zone of ZONE_NAMES) {
        await stack.ready('-n', ZONES[zone], `zdz/${zone}`);
        ids[zone] = (await stack.kube.get<DNSZone>(`zdz/${zone}`, ZONES[zone])).status?.zoneId as string;
      }
    });
    afterAll(async () => {
      for (const namespace of NAMESPACES) await stack.removeAll(namespace);
    });

    test('DNS settles on what the model says, wherever the walk leads', { timeout: 900_000 }, async () => {
      let walked = 0;
      const walk = fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 30, size: 'max' }), async (steps) => {
        const walker = new Walker(stack, ids);
        for (const [index, each] of steps.entries()) {
          await walker.do(each);
          if (index % PART === PART - 1) await walker.settled();
        }
        await walker.settled();
        await walker.end();
        walked += 1;
      });
      // Shrinking would repeat walks for minutes: the first failure is reported with its seed and steps.
      await fc.assert(walk, { seed: nextSeed(), numRuns: WALKS, endOnFailure: true });
      expect(walked).toBe(WALKS);
    });
  });
}
