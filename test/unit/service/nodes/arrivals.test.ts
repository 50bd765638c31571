// Requests that wait until every living node has a change: when they are answered, and what they cost.
import { afterEach, expect, test } from 'vitest';
import { type Arrival, type Arrivals, createArrivals } from '#service/nodes/arrivals.ts';
import type { LivingRow } from '#store/nodes.ts';
import { FakeClock } from '../../../support/time/fake-clock.ts';

const node = (name: string, applied: number | null, more: Partial<LivingRow> = {}): LivingRow => ({
  node: name,
  instance: name,
  engine: 'Knot DNS 3.4.6',
  reportedAt: new Date(0),
  isHere: true,
  position: applied === null ? null : `${applied + 1}:${applied + 1}:`,
  failingCount: 0,
  failing: [],
  ...more,
});

let arrivals: Arrivals | undefined;
let clock = new FakeClock();
afterEach(async () => {
  const closing = arrivals?.close();
  await clock.advance(200);
  await closing;
});

function start(rows: LivingRow[], most?: { total: number; holder: number }) {
  clock = new FakeClock();
  const state = { rows, reads: 0, fails: false };
  arrivals = createArrivals({
    read: async () => {
      state.reads += 1;
      if (state.fails) throw new Error('the database is down');
      return state.rows;
    },
    clock,
    ...(most ? { most } : {}),
  });
  const made = arrivals;
  const ask = (change: Partial<Arrival> = {}, signal = new AbortController().signal) => {
    const asked: { answer: string[] | Error | null } = { answer: null };
    made.until({ zoneId: 'z', xids: [10n], holder: 'key', waitMs: 1_000, ...change }, signal).then(
      (found) => {
        asked.answer = found.map((each) => each.node);
      },
      (error: Error) => {
        asked.answer = error;
      },
    );
    return asked;
  };
  return { state, ask, arrivals: made };
}

test('a request that waits is answered at once when every node has the change, and when no node lives', async () => {
  for (const rows of [[node('ns1', 10), node('ns2', 12)], []]) {
    const { ask, state } = start(rows);
    const asked = ask();
    await clock.advance(1);
    expect([asked.answer, state.reads]).toEqual([rows.map((row) => row.node), 1]);
  }
});

test('a request that waits is answered by the report of the last node, and not before', async () => {
  const { ask, state, arrivals: made } = start([node('ns1', 10), node('ns2', 9)]);
  const asked = ask();
  await clock.advance(20);
  expect(asked.answer).toBe(null);
  state.rows = [node('ns1', 10), node('ns2', 10)];
  await clock.advance(20);
  expect(asked.answer).toBe(null);
  made.reported();
  await clock.advance(0);
  expect(asked.answer).toEqual(['ns1', 'ns2']);
});

test('a request that waits finds a report to another process', async () => {
  const { ask, state } = start([node('ns1', 9)]);
  const asked = ask();
  await clock.advance(20);
  state.rows = [node('ns1', 10)];
  await clock.advance(100);
  expect(asked.answer).toEqual(['ns1']);
});

test('a request that waits is answered at its limit with the nodes as they are then', async () => {
  const { ask } = start([node('ns1', 9)]);
  const asked = ask({ waitMs: 250 });
  await clock.advance(249);
  expect(asked.answer).toBe(null);
  await clock.advance(1);
  expect(asked.answer).toEqual(['ns1']);
});

test('a request that waits does not wait for a node that is starting, and waits for one whose zone fails', async () => {
  const { ask, state, arrivals: made } = start([node('ns1', 10), node('ns2', null)]);
  const asked = ask();
  await clock.advance(1);
  expect(asked.answer).toEqual(['ns1', 'ns2']);
  state.rows = [node('ns1', 10, { failing: [{ id: 'z', error: 'semantic check' }], failingCount: 1 })];
  const other = ask();
  await clock.advance(500);
  expect(other.answer).toBe(null);
  state.rows = [node('ns1', 10)];
  made.reported();
  await clock.advance(1);
  expect(other.answer).toEqual(['ns1']);
});

test('a request that waits ends when the client leaves, when the database fails, and when the process exits', async () => {
  const { ask, state, arrivals: made } = start([node('ns1', 9)]);
  const client = new AbortController();
  const left = ask({}, client.signal);
  await clock.advance(1);
  client.abort(new Error('left'));
  await clock.advance(0);
  expect(String(left.answer)).toContain('left');
  state.fails = true;
  const failed = ask();
  await clock.advance(200);
  expect(String(failed.answer)).toContain('the database is down');
  state.fails = false;
  const last = ask();
  await clock.advance(1);
  void made.close();
  await clock.advance(10);
  expect(last.answer).toEqual(['ns1']);
  const late = ask();
  await clock.advance(1);
  expect(late.answer).toEqual(['ns1']);
});

test('a thousand requests of one moment cost one read, and none is made while no request waits', async () => {
  const { ask, state } = start([node('ns1', 10)]);
  const asked = Array.from({ length: 1_000 }, (_, at) => ask({ holder: `key${at % 10}` }));
  await clock.advance(1);
  expect(asked.every(({ answer }) => Array.isArray(answer))).toBe(true);
  expect(state.reads).toBe(1);
  await clock.advance(10_000);
  expect(state.reads).toBe(1);
});

test('reports cause at most one read in 5 ms', async () => {
  const { ask, state, arrivals: made } = start([node('ns1', 9)]);
  ask();
  await clock.advance(0);
  for (let ms = 0; ms < 50; ms += 1) {
    made.reported();
    await clock.advance(1);
  }
  expect(state.reads).toBeGreaterThan(5);
  expect(state.reads).toBeLessThan(13);
});

test('more requests than may wait are answered at once, those of one team first', async () => {
  const { ask } = start([node('ns1', 9)], { total: 3, holder: 2 });
  const first = ask();
  const second = ask();
  const third = ask();
  const other = ask({ holder: 'other' });
  const last = ask({ holder: 'last' });
  await clock.advance(1);
  expect([first, second, third, other, last].map(({ answer }) => answer !== null)).toEqual([
    true,
    false,
    true,
    false,
    false,
  ]);
});

test('a team that holds all places loses its oldest ones to other teams, until these have as many', async () => {
  const { ask } = start([node('ns1', 9)], { total: 4, holder: 4 });
  const crowd = Array.from({ length: 4 }, () => ask({ holder: 'crowd' }));
  const others = [ask({ holder: 'other' }), ask({ holder: 'other' }), ask({ holder: 'other' })];
  await clock.advance(1);
  const answered = (some: { answer: unknown }[]) => some.map(({ answer }) => answer !== null);
  expect(answered(crowd)).toEqual([true, true, false, false]);
  expect(answered(others)).toEqual([false, false, true]);
  const calm = ask({ holder: 'calm' });
  const again = ask({ holder: 'crowd' });
  await clock.advance(1);
  expect(answered([calm, again])).toEqual([false, true]);
  expect(crowd[0]?.answer).toEqual(['ns1']);
});
