// Up to ten thousand random operations over HTTP against the real service and a model that was written from the rules
// and the RFCs alone: the status of every answer, the lists, and the answers of the name server.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkAllZones } from '../../support/dns/check-zones.ts';
import { NAMES, operation } from '../../support/model/operations.ts';
import { World } from '../../support/model/zone-family.ts';
import { effort, nextSeed } from '../../support/runner/seed.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';
import { expectWholeHistory } from '../../support/service/history.ts';
import { startTestService } from '../../support/service/service.ts';

const service = await startTestService();
const folder = await temporaryFolder('model');
const OPERATIONS = effort(10_000, 1_500);
/** A busy machine does as many as it can in this time, and fewer than the least show nothing. */
const MIN_OPERATIONS = effort(2_000, 1_000);
const TIME_MS = 240_000;
const LANES = 3;
const TYPES = ['A', 'AAAA', 'CAA', 'CNAME', 'DS', 'HTTPS', 'MX', 'PTR', 'SRV', 'TLSA', 'TXT', 'NS'];

let families = 0;
let done = 0;

/** Every name with two types, others each time. */
function typesOf(turn: number): (name: string) => string[] {
  return (name) => {
    const at = turn + NAMES.indexOf(name as (typeof NAMES)[number]) + 1;
    return [TYPES[at % TYPES.length] as string, TYPES[(at * 5 + 3) % TYPES.length] as string];
  };
}

test(`the service and the model agree on ${MIN_OPERATIONS} to ${OPERATIONS} random operations`, {
  timeout: 1_200_000,
}, async ({ annotate }) => {
  const end = performance.now() + TIME_MS;
  const agree = fc.asyncProperty(fc.array(operation, { maxLength: 600, size: 'max' }), async (operations) => {
    const family = ++families;
    const world = new World(service, `r${family}.test`);
    await world.do({ do: 'zone.create', zone: 0 });
    for (const each of operations) await world.do(each);
    await world.check(typesOf(family));
    done += operations.length;
  });
  const lane = async () => {
    while (done < OPERATIONS && performance.now() < end)
      await fc.assert(agree, {
        seed: nextSeed(),
        numRuns: 2,
        interruptAfterTimeLimit: 900_000,
        // A run that was interrupted has shown nothing.
        markInterruptAsFailure: true,
        // Each shorter run is another zone: shrinking takes minutes and tells little more than the seed and the path.
        endOnFailure: true,
      });
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  await annotate(`${done} operations`);
  expect(done).toBeGreaterThanOrEqual(MIN_OPERATIONS);
  await expectWholeHistory(service.sql);
  await service.settled();
  const { zones, errors } = await checkAllZones(service.knot.control, folder);
  expect(zones).toBeGreaterThan(LANES);
  expect(errors).toEqual([]);
});
