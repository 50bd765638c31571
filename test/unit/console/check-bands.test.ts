// The states of an address in the last day as a band.
import { expect, test } from 'vitest';
import { MAX_STATE_CHANGES } from '#base/check-form.ts';
import { BAND_WIDTH, bandOf } from '#console/checks/bands.ts';
import type { ChangeView } from '#contract/checks.ts';

const NOW = new Date('2026-11-21T12:00:00Z');
const hoursAgo = (hours: number) => new Date(NOW.getTime() - hours * 3_600_000).toISOString();
const change = (hours: number, before: ChangeView['before'], state: ChangeView['state'], address = '192.0.2.1') => ({
  ...{ address, at: hoursAgo(hours), before, state, reason: null },
});
const target = (state: ChangeView['state'], hours: number) => ({ address: '192.0.2.1', state, since: hoursAgo(hours) });
const shown = (...[address, changes]: [Parameters<typeof bandOf>[0], ChangeView[]]) =>
  bandOf(address, changes, NOW).parts.map(({ x, width, kind }) => [x, width, kind]);

test('an address that never changed is one part, and unknown before it was there', () => {
  expect(shown(target('Healthy', 48), [])).toEqual([[0, BAND_WIDTH, 'healthy']]);
  expect(shown(target('Healthy', 6), [])).toEqual([
    [0, 216, 'unknown'],
    [216, 72, 'healthy'],
  ]);
});

test('each change of the day begins a part, which tells since when, and other addresses have none of it', () => {
  const changes = [
    change(6, 'Unhealthy', 'Healthy'),
    change(7, 'Healthy', 'Unhealthy', '192.0.2.2'),
    change(12, 'Healthy', 'Unhealthy'),
    change(30, 'Unknown', 'Healthy'),
  ];
  const { parts, words } = bandOf(target('Healthy', 6), changes, NOW);
  expect(parts).toEqual([
    { x: 0, width: 144, kind: 'healthy', title: 'Healthy a day ago' },
    { x: 144, width: 72, kind: 'unhealthy', title: 'Unhealthy since 2026-11-21 00:00:00 UTC' },
    { x: 216, width: 72, kind: 'healthy', title: 'Healthy since 2026-11-21 06:00:00 UTC' },
  ]);
  expect(words).toBe('Healthy now; became unhealthy once in the last 24 hours');
});

test('a change of a moment can be seen', () => {
  const changes = [change(6, 'Unhealthy', 'Healthy'), change(6.001, 'Healthy', 'Unhealthy')];
  expect(shown(target('Healthy', 6), changes)[1]).toEqual([216, 1, 'unhealthy']);
});

test('nothing is said about the time before the changes that an answer has', () => {
  const others = Array.from({ length: MAX_STATE_CHANGES - 1 }, (_, at) =>
    change(12, at % 2 === 0 ? 'Healthy' : 'Unhealthy', at % 2 === 0 ? 'Unhealthy' : 'Healthy', '192.0.2.2'),
  );
  const changes = [change(6, 'Unhealthy', 'Healthy'), ...others];
  expect(shown(target('Healthy', 6), changes)).toEqual([
    [0, 144, 'unknown'],
    [144, 72, 'unhealthy'],
    [216, 72, 'healthy'],
  ]);
});
