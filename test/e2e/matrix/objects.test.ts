// The fault matrix, sixth part: two operators that both believe to lead, objects that lose their status, and objects
// that come back from a backup without status and with new uids. Each cell has a namespace and operators of its own.
import { describe, expect, test } from 'vitest';
import { NAMESPACE } from '#kube/objects/namespaces.ts';
import type { KubeObject, ResourceType } from '#kube/objects/resource.ts';
import { DNS_RECORD } from '#resources/dnsrecord.ts';
import { DNS_ZONE } from '#resources/dnszone.ts';
import { EXISTING_ZONES } from '#resources/names.ts';
import { type Cell, CHANGING, CREATING, calm, DELETING } from '../../support/matrix/cell.ts';
import { type Chain, startChain } from '../../support/matrix/chain.ts';
import { inconsistencies, listObjects, readHistoryText } from '../../support/matrix/invariants.ts';
import { openMatrix } from '../../support/matrix/matrix.ts';
import { startOperator, type TestOperator } from '../../support/matrix/operator.ts';
import { untilIs, untilNone } from '../../support/time/until.ts';
import { startMeeting } from './meeting.support.ts';

const own = await startChain();

/** Zones that may take over an existing zone, as a zone must that has lost its status: its namespace has the label. */
const chain: Chain = {
  ...own,
  zone: (name, spec, namespace) => own.zone(name, { ...spec, adopt: 'IfIdentical' }, namespace),
};

/** Healing counts from the moment at which the operators may write. */
const matrix = openMatrix(own);

async function inCell(work: (cell: Cell, start: typeof startOperator) => Promise<void>): Promise<void> {
  const cell = await matrix.newCell();
  const { namespace } = cell;
  await own.api.merge(NAMESPACE, { name: namespace }, { metadata: { labels: { [EXISTING_ZONES]: 'allow' } } });
  const started: TestOperator[] = [];
  const start: typeof startOperator = (place, options) => {
    const operator = startOperator(place, { ...options, namespace });
    started.push(operator);
    return operator;
  };
  try {
    await work(cell, start);
  } finally {
    await Promise.all(started.map((operator) => operator.stop()));
  }
}

const www = (cell: Cell, ...last: number[]) => {
  const values = last.map((each) => ({ content: `192.0.2.${each}` }));
  return own.record('www', 'zone', { name: 'www', type: 'A', ttl: 300, values }, cell.namespace);
};

/** An operator that applies nothing, once it is held, before the slow one has decided to apply the same. */
function startHeld(start: typeof startOperator, slowWaits: () => number): { operator: TestOperator; hold(): void } {
  let isHeld = false;
  const before = async (write: string): Promise<void> => {
    if (isHeld && write === 'applyRecords') await untilIs('operators that wait', slowWaits, (count) => count === 1);
  };
  const hold = () => {
    isHeld = true;
  };
  return { operator: start(own, { before }), hold };
}

/** A zone and a record with two values. */
async function created(cell: Cell): Promise<void> {
  await CREATING.act(chain, cell);
  calm.push(await matrix.consistent(cell, 'created'));
}

describe.concurrent('two operators that both believe to lead', () => {
  test.each([
    { work: CREATING, write: 'createZone' },
    { work: CHANGING, write: 'applyRecords' },
    { work: DELETING, write: 'applyRecords' },
  ])(
    'two operators that both believe to lead do the same work at the same time, while $work.title',
    async ({ work, write }) => {
      await inCell(async (cell, start) => {
        const meeting = startMeeting();
        try {
          const first = start(own);
          await work.given(chain, cell);
          await matrix.consistent(cell, 'given');
          await first.stop();
          const operators = [start(own, { before: meeting.at(write) }), start(own, { before: meeting.at(write) })];
          await work.act(chain, cell);
          await untilIs('operators that have decided to write', meeting.count, (count) => count === 2);
          meeting.open();
          cell.history = work.history;
          matrix.add('two operators', await matrix.healed(cell, work.title));
          for (const operator of operators) expect(operator.writes).toContain(write);
          await matrix.cleanUp(cell);
        } finally {
          meeting.open();
        }
      });
    },
  );

  test('an apply of an older version that arrives late from a second operator changes nothing', async () => {
    await inCell(async (cell, start) => {
      const meeting = startMeeting();
      try {
        const { operator: second, hold } = startHeld(start, meeting.count);
        await created(cell);
        hold();
        const slow = start(own, { before: meeting.at('applyRecords') });
        await www(cell, 2, 3);
        await untilIs('operators that wait', meeting.count, (count) => count === 1);
        await matrix.consistent(cell, 'the other one has applied');
        await www(cell, 2, 4);
        await matrix.consistent(cell, 'the other one has applied the next version');
        const before = slow.spans.length;
        meeting.open();
        await untilIs(
          'writes of the slow one',
          () => slow.spans.length,
          (count) => count > before,
        );
        cell.history = 'record.create 2, record.update 2, zone.create 1';
        matrix.add('a late apply', await matrix.healed(cell, 'a late apply'));
        expect(second.writes).toContain('applyRecords');
        await matrix.cleanUp(cell);
      } finally {
        meeting.open();
      }
    });
  });

  test('an apply that arrives after its object was deleted leaves nothing', async () => {
    await inCell(async (cell, start) => {
      const meeting = startMeeting();
      try {
        const { hold } = startHeld(start, meeting.count);
        await created(cell);
        hold();
        const slow = start(own, { before: meeting.at('applyRecords') });
        await www(cell, 2, 3);
        await untilIs('operators that wait', meeting.count, (count) => count === 1);
        await matrix.consistent(cell, 'the other one has applied');
        await own.remove(DNS_RECORD, 'www', cell.namespace);
        const released = 'record.create 2, record.delete 2, record.update 1, zone.create 1';
        await untilIs(
          'the history',
          () => readHistoryText(own, cell.zoneName),
          (is) => is === released,
        );
        const before = slow.spans.length;
        meeting.open();
        await untilIs(
          'writes of the slow one',
          () => slow.spans.length,
          (count) => count > before,
        );
        // The values come back for a moment, and the slow operator itself releases them.
        cell.history = 'record.create 4, record.delete 4, record.update 1, zone.create 1';
        matrix.add('a late apply of a deleted object', await matrix.healed(cell, 'a late apply of a deleted object'));
        await matrix.cleanUp(cell);
      } finally {
        meeting.open();
      }
    });
  });
});

interface Saved extends KubeObject {
  readonly spec: object;
  readonly status?: { readonly conditions: readonly { readonly reason: string }[] };
}

/** The API server gives conditions to an object without a status. */
const isUntouched = ({ status }: Saved) => status?.conditions.every(({ reason }) => reason === 'Pending') ?? true;

const KINDS: readonly (readonly [ResourceType, string])[] = [
  [DNS_ZONE, 'zone'],
  [DNS_RECORD, 'www'],
];

async function wipe({ namespace }: Cell): Promise<void> {
  for (const [type, name] of KINDS) {
    const patch = { status: null };
    const patched = await own.api.merge<Saved>(type, { namespace, name }, patch, { subresource: 'status' });
    expect(patched).toSatisfy(isUntouched);
  }
}

describe.concurrent('objects whose status is wiped', () => {
  test.each(['while the operator works', 'while no operator runs'])(
    'objects whose status is wiped are taken up again: %s',
    async (when) => {
      await inCell(async (cell, start) => {
        const isAway = when === 'while no operator runs';
        const first = start(own);
        await CHANGING.given(chain, cell);
        await matrix.consistent(cell, 'given');
        if (isAway) await first.stop();
        await wipe(cell);
        if (isAway) expect(await inconsistencies(own, cell)).not.toEqual([]);
        if (isAway) start(own);
        cell.history = 'record.create 3, zone.create 1';
        matrix.add(`wiped ${when}`, await matrix.healed(cell, 'the status is wiped'));
        await CHANGING.act(chain, cell);
        cell.history = CHANGING.history;
        await matrix.healed(cell, 'changed afterwards');
        await matrix.cleanUp(cell);
      });
    },
  );
});

/** The objects as a backup has them. */
async function backUp({ namespace }: Cell): Promise<readonly (readonly [ResourceType, Saved])[]> {
  return Promise.all(
    KINDS.map(async ([type, name]) => [type, await own.api.get<Saved>(type, { namespace, name })] as const),
  );
}

/** They are lost, and no operator saw it. */
async function lose(cell: Cell): Promise<void> {
  const { namespace } = cell;
  for (const [type, name] of KINDS) {
    await own.api.merge(type, { namespace, name }, { metadata: { finalizers: null } });
    await own.remove(type, name, namespace);
  }
  await untilNone('the objects are lost', async () => {
    const { zones, records } = await listObjects(own, cell);
    return [...zones, ...records].map(({ metadata }) => `${metadata.name} is still there`);
  });
}

async function restore([type, { metadata, spec }]: readonly [ResourceType, Saved]): Promise<void> {
  const { namespace, name, labels = {} } = metadata;
  const made = await own.api.create<Saved>(type, { metadata: { namespace, name, labels }, spec });
  expect(made.metadata.uid).not.toBe(metadata.uid);
  expect(made).toSatisfy(isUntouched);
}

describe.concurrent('objects from a backup, without status and with new uids', () => {
  test.each(['restored while no operator runs', 'restored while an operator runs, records first'])(
    'objects from a backup, without status and with new uids keep the records of the lost objects: %s',
    async (when) => {
      await inCell(async (cell, start) => {
        const isAway = when === 'restored while no operator runs';
        const first = start(own);
        await CHANGING.given(chain, cell);
        await matrix.consistent(cell, 'given');
        const saved = await backUp(cell);
        await first.stop();
        await lose(cell);
        cell.history = 'record.create 3, zone.create 1';
        expect(await readHistoryText(own, cell.zoneName)).toBe(cell.history);
        if (!isAway) start(own);
        for (const each of isAway ? saved : saved.toReversed()) await restore(each);
        if (isAway) {
          expect(await inconsistencies(own, cell)).not.toEqual([]);
          start(own);
        }
        matrix.add(when, await matrix.healed(cell, when));
        await CHANGING.act(chain, cell);
        cell.history = CHANGING.history;
        await matrix.healed(cell, 'changed afterwards');
        await matrix.cleanUp(cell);
      });
    },
  );
});

matrix.declareEnd();
