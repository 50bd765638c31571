// Random creates, edits, deletes, grants, foreign edits over REST and restarts of the operator, in three namespaces and two
// zones; a model says what DNS must answer once things have settled. Each run walks the same way, TEST_SEED=random
// another one (seed.ts).
import fc from 'fast-check';
import { afterAll, beforeAll, it } from 'vitest';
import { nextSeed } from '../support/seed.ts';
import { startTestStack, type TestStack, zoneObject } from '../support/stack.ts';
import { NAMESPACES, ZONE_NAMES, ZONES, type ZoneName } from '../support/walk/model.ts';
import { step } from '../support/walk/operations.ts';
import { Walker } from '../support/walk/walker.ts';

/** A new walk is begun as long as this is not over; the first is always walked to its end. */
const BUDGET_MS = 25_000;
const WALKS = 5;
/** Steps until things may settle. */
const PART = 12;

let test: TestStack;
const ids = {} as Record<ZoneName, string>;
beforeAll(async () => {
  test = await startTestStack();
  for (const namespace of NAMESPACES) await test.kubectl('create', 'namespace', namespace);
  await test.apply(...ZONE_NAMES.map((zone) => zoneObject(zone, `${zone}.example`, {}, ZONES[zone])));
  for (const zone of ZONE_NAMES) {
    await test.ready(30, '-n', ZONES[zone], `zdz/${zone}`);
    ids[zone] = await test.kubectl('-n', ZONES[zone], 'get', 'zdz', zone, '-o', 'jsonpath={.status.zoneId}');
  }
});
afterAll(async () => {
  await test.stop();
});

it('DNS settles on what the model says, wherever the walk leads', async () => {
  const start = performance.now();
  const walk = fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 30, size: 'max' }), async (steps) => {
    if (performance.now() - start > BUDGET_MS) return;
    const walker = new Walker(test, ids);
    for (const [index, each] of steps.entries()) {
      await walker.do(each);
      if (index % PART === PART - 1) await walker.settled();
    }
    await walker.settled();
    await walker.end();
  });
  // To shrink would be to repeat walks for minutes: the first failure, with its seed and steps, is what is told.
  await fc.assert(walk, { seed: nextSeed(), numRuns: WALKS, endOnFailure: true });
});
