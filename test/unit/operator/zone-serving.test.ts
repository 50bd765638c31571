// The part of a DNSZone's status about name servers and nodes, and how often it is written.
import { describe, expect, test } from 'vitest';
import type { ZoneNode } from '#contract/feed.ts';
import type { ZoneSecondary } from '#contract/secondary.ts';
import type { Zone } from '#contract/zone.ts';
import type { ServerVerdict } from '#nameserver/probe/probe.ts';
import { summarizeServing } from '#operator/zone/serving.ts';
import type { DNSZone, ZoneStatus } from '#resources/dnszone.ts';

const server = (serial: number | null, problem: string | null = null): ServerVerdict => ({
  server: { name: 'ns1.example', address: '192.0.2.1', port: 53 },
  ok: problem === null,
  serial,
  node: 'ns1',
  problem,
  isSilent: false,
});
const CURRENT: ZoneNode = { node: 'ns1', current: true, reportedAt: '2026-01-01T00:00:00Z' };
const BEHIND: ZoneNode = { ...CURRENT, current: false };
const zone = (serial: number) => ({ serial }) as Zone;
const object = (status: Partial<ZoneStatus>) => ({ status }) as DNSZone;
const now = new Date('2026-01-01T00:01:00Z');
const serve = (
  before: Partial<ZoneStatus>,
  serial: number,
  verdict: ServerVerdict,
  nodes: ZoneNode[] | null,
  secondaries: ZoneSecondary[] = [],
) => {
  const answer = nodes === null ? { nodes, secondaries, problem: null } : { nodes, secondaries, problem: null };
  return summarizeServing(object(before), zone(serial), { servers: [verdict], answer }, now);
};

describe('status.servers and status.nodes', () => {
  const first = serve({}, 7, server(9), [
    { ...CURRENT, evenly: true },
    { ...BEHIND, node: 'ns2' },
    { ...BEHIND, node: 'ns3', starting: true },
  ]);

  test('status.servers and status.nodes show the serial of each address, the state of each node, and how many have the zone', () => {
    expect(first).toEqual({
      servers: [{ name: 'ns1.example', address: '192.0.2.1', node: 'ns1', serial: 9 }],
      nodes: [
        { name: 'ns1', state: 'Current', evenly: true },
        { name: 'ns2', state: 'Behind', problem: 'node ns2 has not applied the last change yet' },
        { name: 'ns3', state: 'Starting' },
      ],
      nodesCurrent: '1/2',
    });
  });

  test('status.servers and status.nodes keep their serials while nothing else changes', () => {
    const before = { ...serve({}, 7, server(9), [CURRENT]), serial: 7 };
    expect(serve(before, 7, server(10), [CURRENT]).servers?.[0]?.serial).toBe(9);
    expect(serve(before, 8, server(10), [CURRENT]).servers?.[0]?.serial).toBe(10);
    const behind = serve(before, 7, server(8), [BEHIND]);
    expect([behind.servers?.[0]?.serial, behind.nodesCurrent]).toEqual([8, '0/1']);
  });

  test('status.servers and status.nodes do not change with each serial in the words of a problem', () => {
    const before = { ...serve({}, 7, server(5, 'has serial 5, older than 7'), [CURRENT]), serial: 7 };
    expect(serve(before, 7, server(6, 'has serial 6, older than 7'), [CURRENT])).toEqual(
      expect.objectContaining({ servers: before.servers }),
    );
  });

  test('status.servers and status.nodes keep the nodes while the api does not tell', () => {
    const before = { ...serve({}, 7, server(9), [CURRENT]), serial: 7 };
    expect(serve(before, 8, server(10), null).nodes).toEqual([{ name: 'ns1', state: 'Current' }]);
  });
});

const secondary = (name: string, state: ZoneSecondary['state'], more: Partial<ZoneSecondary> = {}): ZoneSecondary => ({
  name,
  nameservers: [],
  listedBy: 'owner',
  chosen: true,
  state,
  ...more,
});
const since = '2026-01-01T00:00:00.250Z';
const eu = secondary('eu', 'current', { nameservers: ['ns1.example'] });
const us = secondary('us', 'behind', { serial: 6, since, reason: 'it has an older version of the zone' });

test('status.secondaries shows the state of each with its serial, and how many are current', () => {
  expect(serve({}, 7, server(9), [CURRENT], [eu, us])).toMatchObject({
    secondaries: [
      { name: 'eu', nameservers: ['ns1.example'], state: 'Current', serial: 9 },
      {
        name: 'us',
        state: 'Behind',
        serial: 6,
        problem:
          'secondary us does not have the last change yet: it has an older version of the zone (behind since 2026-01-01T00:00:00Z)',
      },
    ],
    secondariesCurrent: '1/2',
  });
});

test('status.secondaries keeps its serials while nothing else changes, and changes with a state', () => {
  const before = { ...serve({}, 7, server(9), [CURRENT], [eu, us]), serial: 7 };
  const same = serve(before, 7, server(10), [CURRENT], [eu, { ...us, serial: 5 }]);
  expect(same.secondaries).toBe(before.secondaries);
  const current = serve(before, 7, server(10), [CURRENT], [eu, secondary('us', 'current')]);
  expect(current.secondariesCurrent).toBe('2/2');
});

test('status.secondaries is as the answers over DNS show it while the report is older than the last change', () => {
  const old = { ...eu, state: 'behind', reason: 'the report is older' } as const;
  const shown = (verdict: ServerVerdict, each: ZoneSecondary) =>
    serve({}, 7, verdict, [CURRENT], [each]).secondaries?.map(({ state, problem }) => `${state} ${problem}`);
  expect(shown(server(7), old)).toEqual(['Current undefined']);
  expect(shown(server(6), old)?.[0]).toMatch(/^Behind secondary eu/);
  expect(shown(server(null, 'does not answer'), old)?.[0]).toMatch(/^Behind/);
  expect(shown(server(7), { ...old, nameservers: [] })?.[0]).toMatch(/^Behind/);
  expect(shown(server(7), { ...old, state: 'unknown' })?.[0]).toMatch(/^Unknown/);
  // The source has asked since then: another address of the secondary is behind.
  expect(shown(server(7), { ...old, since })?.[0]).toMatch(/^Behind/);
});

test('status.secondaries is absent without secondaries, and stays while the api does not tell', () => {
  const before = { ...serve({}, 7, server(9), [CURRENT], [eu]), serial: 7 };
  expect(serve(before, 8, server(10), null).secondaries).toEqual(before.secondaries);
  expect(serve(before, 8, server(10), [CURRENT]).secondaries).toBeUndefined();
});
