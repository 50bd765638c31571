// The part of a node in zone transfers, and its watch of a secondary.
import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { realClock } from '#base/clock.ts';
import { SecondaryWatch } from '#nameserver/node/secondary-watch.ts';
import { emptyRow, type KnownZone } from '#nameserver/node/state.ts';
import { isPlausible, judgeRole, memberRows, NO_PART, readPart, unstamped } from '#nameserver/node/transfer-part.ts';
import { Transfers } from '#nameserver/node/transfers.ts';
import { createLogger } from '#telemetry/log.ts';
import { createMetrics } from '#telemetry/metrics.ts';

const row = (name: string, engineSerial: number | null): KnownZone => ({ ...emptyRow(name, name), engineSerial });
const rows = (...all: KnownZone[]) => new Map(all.map((each) => [each.name, each]));
const namesOf = (all: readonly KnownZone[]) => all.map(({ name }) => name);

test('the role of a node is that of a new source until its secondaries have zones of its generation', () => {
  const part = { ...NO_PART, role: 'source' as const, slot: 0, generation: 3 };
  expect(judgeRole(part)).toBe('new-source');
  expect(judgeRole({ ...part, confirmed: 2 })).toBe('new-source');
  expect(judgeRole({ ...part, confirmed: 3 })).toBe('source');
  expect(judgeRole({ ...part, role: 'standby', confirmed: 3 })).toBe('standby');
  expect(judgeRole(NO_PART)).toBeNull();
});

test('the role of a node is none if the remembered text cannot be read', () => {
  expect(readPart('{')).toEqual(NO_PART);
  expect(readPart(JSON.stringify({ ...NO_PART, slot: 2 }))).toMatchObject({ slot: 2, role: 'none' });
});

describe('a zone gets another serial', () => {
  const members = [row('own.test', 5), row('foreign.test', 6)];

  test('a zone gets another serial if its serial is of another slot', () => {
    expect(namesOf(unstamped(members, 1, 'standby', new Set()))).toEqual(['foreign.test']);
    expect(namesOf(unstamped(members, 1, 'source', new Set()))).toEqual(['foreign.test']);
  });

  test('a zone gets another serial once, if the node is a new source', () => {
    expect(namesOf(unstamped(members, 1, 'new-source', new Set()))).toEqual(['own.test', 'foreign.test']);
    expect(namesOf(unstamped(members, 1, 'new-source', new Set(['own.test'])))).toEqual(['foreign.test']);
  });

  test('a zone gets another serial only if a secondary has it and it has contents', () => {
    const held = rows(row('a.test', 1), row('b.test', 2), row('empty.test', null));
    const secondary = { name: 's', addresses: [], transfersFrom: [], catalog: true, notify: true } as never as object;
    const of = (zones: 'all' | string[]) =>
      namesOf(memberRows({ secondaries: [{ ...secondary, zones } as never] }, held));
    expect(of(['b.test', 'empty.test', 'absent.test'])).toEqual(['b.test']);
    expect(of('all')).toEqual(['a.test', 'b.test']);
  });

  test('a zone gets another serial later than that of a secondary, but not than one that no node can have made', () => {
    const now = 1_800_000_000;
    expect(isPlausible(now + 60, now - 5, now)).toBe(true);
    expect(isPlausible(now + 86_401, now - 5, now)).toBe(false);
    // The zone itself is ahead of the clock.
    expect(isPlausible(now + 86_401, now + 3600, now)).toBe(true);
  });
});

const { signal } = new AbortController();
const watched = (answer: { serial: number } | { reason: string } | Error) => {
  let now = 0;
  let asked = 0;
  const ahead: number[] = [];
  const late: string[] = [];
  const given = { answer };
  const watch = new SecondaryWatch(
    { address: '192.0.2.1', port: 53 },
    {
      clock: { now: () => now, setTimeout: () => () => undefined },
      ask: async () => {
        asked += 1;
        if (given.answer instanceof Error) throw given.answer;
        return given.answer;
      },
      onAhead: (_, serial) => void ahead.push(serial),
      onLate: (zone) => void late.push(zone),
    },
  );
  const zones = new Map([['a.test', 8]]);
  watch.expect(zones);
  /** Each look comes when the one before it wanted it. */
  const looks = async (count: number) => {
    for (let at = 0; at < count; at += 1) now = (await watch.look(zones, signal)) ?? now;
  };
  return { watch, zones, looks, given, ahead, late, now: () => now, asked: () => asked };
};

test('the watch of a secondary ends when the zone has the serial of the source', async () => {
  const { watch, zones, looks, given, asked } = watched({ serial: 4 });
  await looks(2);
  expect(watch.isCurrent(zones)).toBe(false);
  expect(watch.lags()).toMatchObject([{ zone: 'a.test', state: 'behind', serial: 4 }]);
  given.answer = { serial: 8 };
  await looks(5);
  expect([watch.isCurrent(zones), watch.lags(), asked()]).toEqual([true, [], 3]);
});

test('the watch of a secondary names a zone with a new serial until a question was answered or failed', async () => {
  const { watch, zones, looks, given } = watched({ serial: 8 });
  expect(watch.pending()).toEqual([{ zone: 'a.test', since: expect.any(Number) }]);
  await looks(1);
  expect([watch.pending(), watch.isCurrent(zones)]).toEqual([[], true]);
  zones.set('a.test', 12);
  watch.expect(zones);
  expect([watch.pending().length, watch.lags()]).toEqual([1, []]);
  given.answer = new Error('does not answer');
  await looks(1);
  expect([watch.pending(), watch.lags().length]).toEqual([[], 1]);
});

test('the watch of a secondary reports a later serial that stays, and not one that may have crossed a commit', async () => {
  const { looks, ahead, late } = watched({ serial: 12 });
  await looks(3);
  expect(ahead).toEqual([]);
  await looks(1);
  expect([ahead, late]).toEqual([[12], []]);
});

test('the watch of a secondary reports a zone that does not follow, and asks at once when its transfers may succeed again', async () => {
  const { watch, looks, late, now } = watched({ reason: 'answers REFUSED' });
  await looks(8);
  expect(late).toEqual(['a.test']);
  expect(now()).toBeGreaterThan(2_000);
  const before = now();
  watch.askSoon();
  await looks(3);
  expect(now() - before).toBeLessThan(5_200);
});

test('the watch of a secondary says that the address is silent, until it answers', async () => {
  const { watch, zones, looks, given } = watched(new Error('does not answer over UDP'));
  await looks(2);
  expect(watch.silent()).toBeNull();
  await looks(1);
  expect(watch.silent()).toBe('does not answer over UDP');
  given.answer = { serial: 8 };
  await looks(2);
  expect([watch.silent(), watch.isCurrent(zones)]).toEqual([null, true]);
});

test('a node says that it is the source only after knotd answers with changes', async () => {
  const steps: string[] = [];
  const end = new AbortController();
  let transfers: string | null = null;
  const state = {
    rows: () => rows(),
    facts: () => ({ transfers }),
    setFacts: (facts: { transfers: string }) => {
      transfers = facts.transfers;
      const role = judgeRole(readPart(transfers));
      steps.push(`says ${role}`);
      if (role === 'source') end.abort();
    },
  };
  const options = {
    ...{ node: 'ns1', clock: realClock, date: () => new Date(), random: () => 0, metrics: createMetrics(), state },
    log: createLogger({ name: 'test', level: 'silent' }),
    engine: {},
    api: { transfers: async () => ({ slot: 0, role: 'source', generation: 1, version: '1', secondaries: [] }) },
    transfers: { apply: async ({ role }: { role: string }) => steps.push(`applies ${role}`) },
  };
  const node = new Transfers(options as never);
  node.told('1');
  await node.run(AbortSignal.any([end.signal, AbortSignal.timeout(10_000)]));
  expect(steps).toEqual(['says new-source', 'applies new-source', 'applies source', 'says source']);
});

test('a node that cannot transfer over TLS says so once, and does not let knotd try', async () => {
  const end = new AbortController();
  const wishes: { overTls: boolean }[] = [];
  const log: string[] = [];
  const destination = new Writable({
    write: (line, _, done) => {
      log.push(String(line));
      done();
    },
  });
  const key = { name: 'eu.test', algorithm: 'hmac-sha256', secret: Buffer.alloc(32).toString('base64') };
  const eu = {
    ...{ name: 'eu', addresses: [{ address: '192.0.2.1', port: 53 }], transfersFrom: [], key, zones: 'all' },
    ...{ catalog: false, notify: true, requireTls: true, pins: [] },
  };
  const options = {
    ...{ node: 'ns1', clock: realClock, date: () => new Date(), random: () => 0, metrics: createMetrics() },
    state: { facts: () => ({ transfers: null }), setFacts: () => undefined, rows: () => new Map() },
    log: createLogger({ name: 'test', level: 'warn', destination }),
    engine: {},
    api: { transfers: async () => ({ slot: 0, role: 'standby', generation: 1, version: '1', secondaries: [eu] }) },
    transfers: {
      apply: async (wish: { overTls: boolean }) => {
        wishes.push(wish);
        if (wishes.length === 2) end.abort();
        else setImmediate(() => node.invalidate());
        return 0;
      },
      tlsFault: async () => 'Knot is too old',
    },
  };
  const node = new Transfers(options as never);
  node.told('1');
  await node.run(AbortSignal.any([end.signal, AbortSignal.timeout(10_000)]));
  expect(wishes.map(({ overTls }) => overTls)).toEqual([false, false]);
  expect(log.join('').match(/these secondaries cannot transfer from this node: Knot is too old/g)).toHaveLength(1);
});
