// The fault matrix, first part: the operator dies before and after every kind of write that a scenario makes, at the
// API server and at the service, and a new one takes over. Everything except the operator's death is real. The cells
// run in parallel, each in a namespace of its own with an operator for it.
import { describe, expect, test } from 'vitest';
import { fetchRecords, fetchZones } from '#client/lists.ts';
import { replaceRecord } from '#contract/operations/records.ts';
import type { ResourceType } from '#kube/objects/resource.ts';
import { DNS_RECORD } from '#resources/dnsrecord.ts';
import { DNS_ZONE } from '#resources/dnszone.ts';
import { type Cell, calm } from '../../support/matrix/cell.ts';
import { startChain } from '../../support/matrix/chain.ts';
import { openMatrix } from '../../support/matrix/matrix.ts';
import { startOperator } from '../../support/matrix/operator.ts';

interface Scenario {
  readonly title: string;
  /** The objects that exist, and are Ready, before. */
  readonly given: readonly Step[];
  readonly act: readonly Step[];
  /** Every kind of write that the operator makes for it; `#2` is the second of its kind. */
  readonly writes: readonly string[];
  /** Kinds of writes that it makes or not, depending on what comes first. */
  readonly perhaps?: readonly string[];
  /** All changes at the service, from the beginning of the cell. */
  readonly history: string | RegExp;
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
const foreign: Step = (cell) => matrix.putForeign(cell);
/** Another client changes data that the operator wrote. */
const meddle: Step = async ({ zoneName }) => {
  const [found] = await fetchZones(chain.client, { zoneName });
  const [held] = await fetchRecords(chain.client, found?.id ?? '', { content: '192.0.2.1' });
  const body = { name: 'www', type: 'A', content: '192.0.2.66', ttl: 300 } as const;
  await chain.client.call(replaceRecord, { params: { id: found?.id ?? '', recordId: held?.id ?? '' }, body });
};
const touch: Step = ({ namespace }) =>
  chain.api.merge(DNS_RECORD, { namespace, name: 'www' }, { metadata: { annotations: { looked: 'at' } } });

const SCENARIOS: readonly Scenario[] = [
  {
    title: 'a zone is created',
    given: [],
    act: [zone({})],
    writes: ['merge dnszones', 'status dnszones', 'createZone', 'status dnszones #2'],
    history: 'zone.create 1',
  },
  {
    title: 'a record of two values is created next to one of another owner',
    given: [zone({}), foreign],
    act: [record(two)],
    writes: ['applyRecords', 'status dnsrecords'],
    history: 'record.create 3, zone.create 1',
  },
  {
    title: 'records of many objects are created in one batch',
    given: [zone({}), foreign],
    act: [many],
    writes: ['applyRecords', 'applyRecords #2', 'status dnsrecords', 'status dnsrecords #7'],
    history: 'record.create 13, zone.create 1',
  },
  {
    title: 'values are changed, added and removed',
    given: [zone({}), record(two), foreign],
    act: [record({ ttl: 600, values: [{ content: '192.0.2.2' }, { content: '192.0.2.3' }, { content: '192.0.2.4' }] })],
    writes: ['applyRecords', 'status dnsrecords'],
    history: 'record.create 4, record.update 2, zone.create 1',
  },
  {
    title: 'changes by another client are repaired',
    given: [zone({}), record(two), meddle],
    act: [touch],
    writes: ['applyRecords'],
    history: 'record.create 2, record.update 2, zone.create 1',
  },
  {
    title: 'a zone is parked and gets another default TTL',
    given: [zone({}), record({ content: '192.0.2.1' })],
    act: [zone({ parked: true, defaultTtl: 120 })],
    writes: ['parkZone', 'updateZone', 'status dnszones', 'applyRecords', 'status dnsrecords'],
    history: 'record.create 1, zone.change 1, zone.create 1, zone.park 1',
  },
  {
    title: 'a record is deleted next to one of another owner',
    given: [zone({}), record(two), foreign],
    act: [remove(DNS_RECORD, 'www')],
    writes: ['applyRecords'],
    history: 'record.create 3, record.delete 2, zone.create 1',
  },
  {
    title: 'a zone and its record are deleted together',
    given: [zone({}), record(two)],
    act: [remove(DNS_ZONE, 'zone'), remove(DNS_RECORD, 'www')],
    writes: ['deleteZone', 'merge dnszones'],
    perhaps: ['applyRecords'],
    history: /^record.create 2, (record.delete 2, )?zone.create 1, zone.delete 1$/,
  },
];

const chain = await startChain();

/** Does the steps before the scenario in the cell. */
async function arrange(cell: Cell, { given, title }: Scenario): Promise<void> {
  const began = performance.now();
  for (const step of given) {
    await step(cell);
    // A foreign change stays wrong until the operator looks.
    if (step !== meddle) await matrix.consistent(cell, `${title}: given`);
  }
  if (given.length > 0) calm.push((performance.now() - began) / given.length);
}

const start = ({ namespace }: Cell) => startOperator(chain, { namespace });

const kindOf = (write: string) => write.replace(/ #\d+$/, '');
/** The kinds of writes that the operators made in the cells of a scenario. */
const made = new Map(SCENARIOS.map((scenario) => [scenario, new Set<string>()]));

/** Healing counts from the start of the operator that follows the dead one. */
const matrix = openMatrix(chain);

describe.concurrent.each(SCENARIOS)('when $title', (scenario) => {
  describe.each(['before', 'after'] as const)('an operator that dies %s', (when) => {
    test.each(scenario.writes)(
      `when ${scenario.title}, an operator that dies ${when} %s is followed by one that ends the work`,
      async (write) => {
        const cell = await matrix.newCell();
        let operator = start(cell);
        const note = () => {
          for (const each of operator.writes) made.get(scenario)?.add(each);
        };
        try {
          await arrange(cell, scenario);
          cell.history = scenario.history;
          operator.arm({ write: kindOf(write), nth: Number(/#(\d+)$/.exec(write)?.[1] ?? 1), when });
          for (const step of scenario.act) await step(cell);
          await operator.died();
          await operator.stop();
          note();
          operator = start(cell);
          matrix.add(`${when} ${kindOf(write)}`, await matrix.healed(cell, `dead ${when} ${write}`));
          note();
          await matrix.cleanUp(cell);
        } finally {
          await operator.stop();
        }
      },
    );
  });
});

// A new kind of write must get cells of its own. How often a status is written depends on how soon DNS answers.
test.each(SCENARIOS)('after all deaths, the cells had every kind of write that is made when $title', (scenario) => {
  const isSure = (kind: string) => !kind.startsWith('status ') && !scenario.perhaps?.includes(kind);
  const named = new Set(scenario.writes.map(kindOf).filter(isSure));
  const kinds = [...(made.get(scenario) ?? [])].filter(isSure);
  expect(kinds.sort()).toEqual([...named].sort());
});

matrix.declareEnd();
