// The addresses that a node probes, and its votes.
import { expect, test } from 'vitest';
import { countProbe } from '#base/probes/judge.ts';
import type { ProbeList } from '#contract/feed-probes.ts';
import { createNodeMayProbe, type ProbeTarget, ProbeTargets } from '#nameserver/node/probe-targets.ts';

const DEFINITION = { type: 'http', interval: 10, timeout: 2, failures: 2, retryInterval: 0.5, successes: 2 };
const APART_MS = 1_500;

const entry = (address: string, more: Partial<ProbeList['probes'][number]> = {}) => ({
  ...{ probe: `probe-${address}`, owner: 'o', address, state: 'Unknown' as const, definition: DEFINITION },
  ...more,
});
const anyAddress = () => null;

function begin(entries: readonly ReturnType<typeof entry>[]) {
  const targets = new ProbeTargets();
  const [first] = targets.update({ probes: [...entries] }, anyAddress) as [ProbeTarget];
  const note = (isOk: boolean, now = 0) => {
    first.failure = isOk ? null : 'The connection is refused.';
    first.track = countProbe(first.track, isOk);
    targets.note(first, now);
  };
  /** The votes that the api lacks, which has them then. */
  const report = () => {
    const votes = targets.news(100);
    targets.reported(votes);
    return votes.map(({ state }) => state);
  };
  return { targets, first, note, report };
}

test('a node refuses private and own addresses and names, also if the api sends them', () => {
  const ports = [{ first: 80, last: 80 }];
  const mayProbe = (networks: string[]) => createNodeMayProbe(networks, ports, () => ['9.9.9.9', '10.0.0.1'])();
  const strict = mayProbe([]);
  expect(strict('8.8.8.8', { type: 'http' })).toBeNull();
  for (const address of ['10.0.0.2', '127.0.0.1', '::ffff:8.8.8.8', '9.9.9.9', 'localhost', 'fe80::1%eth0', ''])
    expect(strict(address, { type: 'http' })).not.toBeNull();
  expect(strict('8.8.8.8', { type: 'tcp', port: 22 })).toContain('ZONESTEAD_CHECK_PORTS');
  expect(mayProbe(['10.0.0.0/8'])('10.0.0.1', { type: 'http' })).toBeNull();
});

test('a definition that the node does not know is omitted', () => {
  const targets = new ProbeTargets();
  const later = entry('192.0.2.1', { definition: { ...DEFINITION, type: 'quic' } });
  const added = targets.update({ probes: [later, entry('192.0.2.2')] }, anyAddress);
  expect(added.map(({ address }) => address)).toEqual(['192.0.2.2']);
});

test('the node reports the changes of its vote, and nothing before it is sure', () => {
  const { note, report } = begin([entry('192.0.2.1')]);
  note(false);
  expect(report()).toEqual([]);
  note(true);
  note(true);
  expect(report()).toEqual(['Healthy']);
  note(false);
  note(true);
  expect(report()).toEqual([]);
  note(false);
  note(false);
  expect(report()).toEqual(['Unhealthy']);
  note(true);
  expect(report()).toEqual([]);
  note(true);
  expect(report()).toEqual(['Healthy']);
});

test('a node that begins does not vote for the state that the list has before its own probes say so', () => {
  const { note, report } = begin([entry('192.0.2.1', { state: 'Unhealthy' })]);
  note(false);
  note(true);
  expect(report()).toEqual([]);
  note(true);
  expect(report()).toEqual(['Healthy']);
});

test('a vote about an address that was not probed for three intervals is taken back', () => {
  const { targets, note, report } = begin([entry('192.0.2.1')]);
  note(true, 1_000);
  expect(report()).toEqual(['Healthy']);
  targets.takeBackOld(33_000, APART_MS);
  expect(report()).toEqual([]);
  targets.takeBackOld(33_001, APART_MS);
  expect(report()).toEqual(['Unknown']);
  note(true, 40_000);
  expect(report()).toEqual(['Healthy']);
});

test('a new list keeps the probes that it has, and ends the others', () => {
  const { targets, first, note, report } = begin([entry('192.0.2.1'), entry('192.0.2.2')]);
  note(true);
  const stricter = entry('192.0.2.1', { definition: { ...DEFINITION, failures: 3 } });
  expect(targets.update({ probes: [stricter] }, anyAddress)).toEqual([]);
  expect([targets.size, first.definition.failures, first.isWanted]).toEqual([1, 3, true]);
  targets.update({ probes: [] }, anyAddress);
  expect([targets.size, first.isWanted, report()]).toEqual([0, false, []]);
});

test('a vote that changes while its report is on its way is not lost, and a lost session reports all again', () => {
  const { targets, note, report } = begin([entry('192.0.2.1')]);
  note(true);
  const sent = targets.news(100);
  note(false);
  note(false);
  targets.reported(sent);
  expect(report()).toEqual(['Unhealthy']);
  targets.forgetReports();
  expect(report()).toEqual(['Unhealthy']);
});
