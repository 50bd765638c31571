// Which addresses of name servers are unreachable, and which of them a proof omits.
import { describe, expect, test } from 'vitest';
import { type ServerVerdict, silentVerdict } from '#nameserver/probe/probe.ts';
import { chooseLeftOut, Reach } from '#nameserver/probe/reach.ts';

const START = Date.parse('2026-01-01T00:00:00Z');
const named = (name: string) => ({ name, address: `192.0.2.${name.slice(2)}`, port: 53 });
const [ns1, ns2, ns3, ns4] = ['ns1', 'ns2', 'ns3', 'ns4'].map(named) as [Server, Server, Server, Server];
type Server = ReturnType<typeof named>;

const right = (server: Server): ServerVerdict => ({
  ...silentVerdict(server),
  ok: true,
  problem: null,
  isSilent: false,
});
const wrong = (server: Server): ServerVerdict => ({ ...right(server), ok: false, problem: 'answers SERVFAIL' });

function world() {
  const time = { now: 0 };
  const clock = { now: () => time.now, setTimeout: () => () => undefined };
  const reach = new Reach(clock, () => new Date(START + time.now));
  const ask = (verdict: ServerVerdict, seconds: number) => {
    time.now = seconds * 1_000;
    reach.note(verdict, time.now);
  };
  const silent = (server: Server, ...times: number[]) => {
    for (const seconds of times) ask(silentVerdict(server), seconds);
  };
  return { time, reach, ask, silent, since: (server = ns3) => reach.unreachableSince(server)?.toISOString() ?? null };
}

test('an address is unreachable after two minutes and several queries without any answer', () => {
  const { time, reach, silent, since } = world();
  silent(ns3, 0, 60, 119);
  expect(since()).toBeNull();
  time.now = 120_000;
  expect(since()).toBe('2026-01-01T00:00:00.000Z');
  expect(reach.unreachable()).toMatchObject([{ server: ns3, since: new Date(START) }]);
  expect([since(ns1), since({ ...ns3, port: 5_353 })]).toEqual([null, null]);
});

test('an address that has answered stays known while it is silent, so that its metric turns from 0 to 1', () => {
  const { reach, ask, silent } = world();
  ask(right(ns1), 0);
  silent(ns3, 1);
  expect([...reach.answered()]).toEqual([ns1.address]);
  silent(ns1, 2, 60, 130);
  expect([...reach.answered()]).toEqual([ns1.address]);
  expect(reach.unreachable()).toMatchObject([{ server: ns1 }]);
});

test('two lost queries in two minutes do not make an address unreachable', () => {
  const { silent, since } = world();
  silent(ns3, 0, 300);
  expect(since()).toBeNull();
  silent(ns3, 301);
  expect(since()).not.toBeNull();
});

test('the first answer of any kind ends it, and the two minutes begin again', () => {
  const { ask, silent, since } = world();
  silent(ns3, 0, 60, 120);
  expect(since()).not.toBeNull();
  ask(wrong(ns3), 121);
  expect(since()).toBeNull();
  silent(ns3, 122, 180, 241);
  expect(since()).toBeNull();
});

test('an unreachable address is asked once in 15 s, and each other address always', () => {
  const { time, reach, silent } = world();
  expect([reach.mayAsk(ns3), reach.mayAsk(ns3)]).toEqual([true, true]);
  silent(ns3, 0, 60);
  expect([reach.mayAsk(ns3), reach.mayAsk(ns3)]).toEqual([true, true]);
  silent(ns3, 120);
  const asked = [0, 14, 15, 16, 29, 30, 31].map((seconds) => {
    time.now = (140 + seconds) * 1_000;
    return reach.mayAsk(ns3);
  });
  expect(asked).toEqual([true, false, true, false, false, true, false]);
  expect(reach.mayAsk(ns1)).toBe(true);
});

test('an address that is not asked any more is forgotten, and the number of addresses is bounded', () => {
  const { time, reach, silent, since } = world();
  silent(ns3, 0, 60, 120);
  time.now = 601_000;
  reach.mayAsk(ns3);
  time.now = 1_200_000;
  expect(reach.unreachable()).toHaveLength(1);
  time.now = 1_202_000;
  expect([reach.unreachable(), since()]).toEqual([[], null]);
  for (let at = 0; at < 400; at++) silent({ ...ns1, port: at + 1 }, 1_300, 1_301, 1_302);
  time.now = 1_500_000;
  expect(reach.unreachable()).toHaveLength(256);
});

test('an address that was unreachable for an earlier process is unreachable with its first query without an answer', () => {
  const { reach, ask, silent, since } = world();
  const before = new Date(START - 3_600_000);
  reach.restore('ns3', ns3.address, before);
  expect(since()).toBeNull();
  silent(ns3, 1);
  expect(since()).toBe(before.toISOString());
  reach.restore('ns4', ns4.address, before);
  ask(right(ns4), 2);
  silent(ns4, 3);
  expect(since(ns4)).toBeNull();
  // It has answered this process, which knows better.
  reach.restore('ns4', ns4.address, before);
  silent(ns4, 4);
  expect(since(ns4)).toBeNull();
});

describe('a proof', () => {
  const away = new Date(START);
  const choose = (...verdicts: ServerVerdict[]) =>
    chooseLeftOut(verdicts, (server) => ([ns3, ns4].includes(server) ? away : null)).map(({ server }) => server.name);

  test('a proof omits unreachable addresses if two others are right', () => {
    expect(choose(right(ns1), right(ns2), silentVerdict(ns3))).toEqual(['ns3']);
    expect(choose(right(ns1), right(ns2), silentVerdict(ns3), silentVerdict(ns4))).toEqual(['ns3', 'ns4']);
  });

  test('a proof omits nothing with one or two addresses, or with one that is right', () => {
    expect(choose(silentVerdict(ns3))).toEqual([]);
    expect(choose(right(ns1), silentVerdict(ns3))).toEqual([]);
    expect(choose(right(ns1), wrong(ns2), silentVerdict(ns3))).toEqual([]);
    expect(choose(right(ns1), silentVerdict(ns3), silentVerdict(ns4))).toEqual([]);
  });

  test('a proof never omits a wrong answer, nor an address that is silent for a moment', () => {
    expect(choose(right(ns1), right(ns2), wrong(ns3))).toEqual([]);
    expect(choose(right(ns4), right(ns3), silentVerdict(ns1))).toEqual([]);
  });
});
