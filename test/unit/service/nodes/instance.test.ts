// The verdict about one zone by the report of a node, and the words of a report that the owner of the zone may read.
import { expect, test } from 'vitest';
import { isVisible, judgeInstance } from '#service/nodes/instance.ts';
import { GENERAL_TEXT, textForOwner } from '#service/nodes/owner-text.ts';
import type { LivingRow } from '#store/nodes.ts';

const row: LivingRow = {
  node: 'ns1',
  instance: 'i',
  engine: 'Knot DNS 3.4.6',
  reportedAt: new Date(0),
  isHere: true,
  position: '100:120:105,110',
  failingCount: 0,
  failing: [],
};

test.each<[string, Partial<LivingRow>, bigint, string]>([
  ['shows an old transaction', {}, 99n, 'current'],
  ['shows one that had ended', {}, 119n, 'current'],
  ['does not show one that was in progress', {}, 105n, 'behind'],
  ['does not show a later one', {}, 120n, 'behind'],
  ['with a position in another database shows nothing', { isHere: false }, 1n, 'behind'],
  ['before the first list is that of a node that is starting', { position: null }, 1n, 'starting'],
  ['that does not name all failing zones counts for none', { failingCount: 1 }, 1n, 'behind'],
  ['with another failing zone', { failingCount: 1, failing: [{ id: 'y', error: 'no' }] }, 1n, 'current'],
  ['with this failing zone', { failingCount: 1, failing: [{ id: 'z', error: 'no' }] }, 1n, 'behind'],
])('a report %s', (_, change, xid, state) => {
  expect(judgeInstance({ ...row, ...change }, 'z', [xid]).state).toBe(state);
});

test('a report must show each of several transactions', () => {
  expect(judgeInstance(row, 'z', [119n, 99n]).state).toBe('current');
  expect(judgeInstance(row, 'z', [119n, 105n]).state).toBe('behind');
});

test('a report shows each transaction before the next one if none is in progress', () => {
  expect([isVisible(7n, '8:8:'), isVisible(8n, '8:8:')]).toEqual([true, false]);
});

test.each([
  ['example.org: semantic check', 'semantic check'],
  ['example.org: www.example.org. has a CNAME and an A\nrecord', 'www.example.org. has a CNAME and an A record'],
  ['example.org: The name server did not answer within 180 s', 'The name server did not answer within 180 s'],
  ['the node is reading the zone', 'the node is reading the zone'],
  ['example.org: other.example failed', GENERAL_TEXT],
  ['other.example: semantic check', GENERAL_TEXT],
  ['example.org: notexample.org failed', GENERAL_TEXT],
  ['example.org: connect ECONNREFUSED 10.0.0.7:443', GENERAL_TEXT],
  ['example.org: connect fd00::7', GENERAL_TEXT],
  ['example.org: ENOSPC /var/lib/zonestead', GENERAL_TEXT],
  ['example.org: zone_0123456789abcdef is down', GENERAL_TEXT],
])('the words of a node for the owner of example.org hide other zones: %j', (error, text) => {
  expect(textForOwner(error, 'example.org')).toBe(text);
});

test('the words of a node for the owner of example.org are short', () => {
  expect(textForOwner('x '.repeat(1_000), 'example.org').length).toBeLessThanOrEqual(200);
});
