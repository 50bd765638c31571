// The fault matrix, first part: the operator dies before and after every kind of write that a scenario makes, at the
// API server and at the service, and a new one takes over. Everything except the operator's death is real. The cells
// run in parallel, each in a namespace of its own with an operator for it.
import { describe, expect, it } from 'vitest';
import type { ResourceType } from '#kube/objects/resource.ts';
import { DNS_RECORD } from '#resources/dnsrecord.ts';
import { DNS_ZONE } from '#resources/dnszone.ts';
import { type Cell, cleanUp, consistent, newCell, putForeign } from '../support/matrix/cell.ts';
import { startChain } from '../support/matrix/chain.ts';
import { measureHealing } from '../support/matrix/healing.ts';
import { startOperator } from '../support/matrix/operator.ts';

interface Scenario {
  readonly title: string;
  /** The objects that exist, and are Ready, before. */
  readonly given: readonly Step[];
  readonly act: readonly Step[];
  /** Every kind of write it makes; `#2` is the second of its kind. */
  readonly writes: readonly string[];
  /** Kinds of writes that it makes or not, depending on what comes first. */
  readonly perhaps?: readonly string[];
  readonly made: string;
}
type Step = (cell: Cell) => Promise<unknown>;

const zone =
  (spec: object): Step =>
  ({ zoneName, namespace }) =>
    chain.zone('zone', { zoneName, ...spec }, namespace);
const record =
  (spec: object): Step =>
  ({ namespace }) =>
    chain.record('www', 'zone', { name: 'www', type: 'A', ...spec }, namespace);
/** So many at once that they go in one batch, each with its own object, owner and status. */
const MANY = Array.from({ length: 12 }, (_, n) => `many${n}`);
const many: Step = ({ namespace }) =>
  Promise.all(MANY.map((name) => chain.record(name, 'zone', { name, type: 'A', content: '192.0.2.1' }, namespace)));
const remove =
  (type: ResourceType, name: string): Step =>
  ({ namespace }) =>
    chain.remove(type, name, namespace);
const two = { ttl: 300, values: [{ content: '192.0.2.1' }, { content: '192.0.2.2' }] };
const foreign: Step = (cell) => putForeign(chain, cell);
/** Another client changes data that the operator wrote. */
const meddle: Step = async ({ zoneName }) => {
  const [found] = await chain.client.zones.list({ zoneName });
  const [held] = await chain.client.records.list(found?.id ?? '', { content: '192.0.2.1' });
  const body = { name: 'www', type: 'A', content: '192.0.2.66', ttl: 300 } as const;
  await chain.client.records.update(found?.id ?? '', held?.id ?? '', body);
};
const touch: Step = ({ namespace }) =>
  chain.api.merge(DNS_RECORD, { namespace, name: 'www' }, { metadata: { annotations: { looked: 'at' } } });

const SCENARIOS: readonly Scenario[] = [
  {
    title: 'a zone is created',
    given: [],
    act: [zone({})],
    writes: ['merge dnszones', 'status dnszones', 'zones.create', 'status dnszones #2'],
    made: '1 zone(s) and 0 record(s)',
  },
  {
    title: 'a record of two values is created next to one of another owner',
    given: [zone({}), foreign],
    act: [record(two)],
    writes: ['owners.apply', 'status dnsrecords'],
    made: '1 zone(s) and 3 record(s)',
  },
  {
    title: 'records of many objects are created in one batch',
    given: [zone({}), foreign],
    act: [many],
    writes: ['owners.apply', 'owners.apply #2', 'status dnsrecords', 'status dnsrecords #7'],
    made: '1 zone(s) and 13 record(s)',
  },
  {
    title: 'values are changed, added and removed',
    given: [zone({}), record(two), foreign],
    act: [record({ ttl: 600, values: [{ content: '192.0.2.2' }, { content: '192.0.2.3' }, { content: '192.0.2.4' }] })],
    writes: ['owners.apply', 'status dnsrecords'],
    made: '1 zone(s) and 4 record(s)',
  },
  {
    title: 'changes by another client are repaired',
    given: [zone({}), record(two), meddle],
    act: [touch],
    writes: ['owners.apply'],
    made: '1 zone(s) and 2 record(s)',
  },
  {
    title: 'a zone is parked and gets another default TTL',
    given: [zone({}), record({ content: '192.0.2.1' })],
    act: [zone({ parked: true, defaultTtl: 120 })],
    writes: ['zones.park', 'zones.change', 'status dnszones', 'owners.apply', 'status dnsrecords'],
    made: '1 zone(s) and 1 record(s)',
  },
  {
    title: 'a record is deleted next to one of another owner',
    given: [zone({}), record(two), foreign],
    act: [remove(DNS_RECORD, 'www')],
    writes: ['owners.apply'],
    made: '1 zone(s) and 3 record(s)',
  },
  {
    title: 'a zone and its record are deleted together',
    given: [zone({}), record(two)],
    act: [remove(DNS_ZONE, 'zone'), remove(DNS_RECORD, 'www')],
    writes: ['zones.delete', 'merge dnszones'],
    perhaps: ['owners.apply'],
    made: '1 zone(s) and 2 record(s)',
  },
];

const chain = await startChain();

/** A namespace and a zone of its own, with the scenario's beginning in it. */
async function arrange(cell: Cell, { given, made, title }: Scenario): Promise<void> {
  for (const step of given) {
    await step(cell);
    // A foreign change stays wrong until the operator looks.
    if (step !== meddle) await consistent(chain, cell, `${title}: given`);
  }
  cell.made = made;
}

const start = ({ namespace }: Cell) => startOperator(chain, { namespace });

const STATUS = ['status dnszones', 'status dnsrecords'];
const kindOf = (write: string) => write.replace(/ #\d+$/, '');

// An inventory, and no fault: the cells below name the writes, so that a new kind of write must get cells of its own.
describe.concurrent('the list of writes is complete', () => {
  it.each(SCENARIOS)('when $title', async (scenario) => {
    const cell = await newCell(chain);
    const operator = start(cell);
    try {
      await arrange(cell, scenario);
      operator.arm(null);
      for (const step of scenario.act) await step(cell);
      await consistent(chain, cell, 'without a fault');
      const kinds = new Set(operator.writes);
      // How often a status is written depends on how soon DNS answers.
      for (const kind of [...STATUS, ...(scenario.perhaps ?? [])]) kinds.delete(kind);
      const named = new Set(scenario.writes.map(kindOf));
      for (const kind of [...STATUS, ...(scenario.perhaps ?? [])]) named.delete(kind);
      expect([...kinds].sort()).toEqual([...named].sort());
      await cleanUp(chain, cell);
    } finally {
      await operator.stop();
    }
  });
});

/** From the start of the operator that follows the dead one. */
const healing = measureHealing({ each: 30_000, median: 8_000 });

describe.concurrent.each(SCENARIOS)('when $title', (scenario) => {
  describe.each(['before', 'after'] as const)('an operator that dies %s', (when) => {
    it.each(scenario.writes)('%s is followed by one that ends the work', async (write) => {
      const cell = await newCell(chain);
      let operator = start(cell);
      try {
        await arrange(cell, scenario);
        operator.arm({ write: kindOf(write), nth: Number(/#(\d+)$/.exec(write)?.[1] ?? 1), when });
        for (const step of scenario.act) await step(cell);
        await operator.died();
        await operator.stop();
        operator = start(cell);
        const title = `dead ${when} ${write}`;
        healing.add(`${scenario.title}: ${title}`, await consistent(chain, cell, title));
        await cleanUp(chain, cell);
      } finally {
        await operator.stop();
      }
    });
  });
});

it('the followers end the work in seconds', () => {
  expect(healing.problems()).toEqual([]);
});
