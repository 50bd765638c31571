// The addresses that the canary asks, and those that a change waits for.
import { expect, test } from 'vitest';
import { MAX_ADDRESSES } from '#canary/metrics.ts';
import { chooseAwaited, formatAddress, type Path, updatePaths } from '#canary/paths.ts';

const server = (name: string, address: string, port = 53) => ({ name, address, port });
const titles = (paths: readonly Path[]) => paths.map(({ address, transport }) => `${address} ${transport}`);

test('a path is an address with a transport, and two names of one address are one address', () => {
  const servers = [server('ns1', '192.0.2.1'), server('ns2', '192.0.2.2', 5300), server('ns3', '192.0.2.1')];
  const { paths } = updatePaths([], servers);
  expect(titles(paths)).toEqual(['192.0.2.1 udp', '192.0.2.1 tcp', '192.0.2.2:5300 udp', '192.0.2.2:5300 tcp']);
  expect(paths[0]?.server.name).toBe('ns1');
  expect(formatAddress(server('ns', '2001:db8::1'))).toBe('2001:db8::1');
  expect(formatAddress(server('ns', '2001:db8::1', 5300))).toBe('[2001:db8::1]:5300');
});

test('a path keeps its state as long as its address stays', () => {
  const first = updatePaths([], [server('ns1', '192.0.2.1'), server('ns2', '192.0.2.2')]).paths;
  for (const path of first) path.silentSince = 7;
  const { paths } = updatePaths(first, [server('ns2', '192.0.2.2'), server('ns3', '192.0.2.3')]);
  expect(paths.map(({ silentSince }) => silentSince)).toEqual([7, 7, null, null]);
});

test('the canary asks a bounded number of addresses', () => {
  const servers = Array.from({ length: MAX_ADDRESSES + 5 }, (_, at) => server('ns', `192.0.2.${at}`));
  const { paths, leftOut } = updatePaths([], servers);
  expect([paths.length, leftOut]).toEqual([2 * MAX_ADDRESSES, 5]);
});

test('a change waits for a path until it has been silent for two minutes and another one answers', () => {
  const { paths } = updatePaths([], [server('ns1', '192.0.2.1'), server('ns2', '192.0.2.2')]);
  const [silent, ...others] = paths as [Path, ...Path[]];
  silent.silentSince = 1_000;
  expect(chooseAwaited(paths, 120_999)).toEqual(paths);
  expect(chooseAwaited(paths, 121_000)).toEqual(others);
  for (const path of paths) path.silentSince = 1_000;
  expect(chooseAwaited(paths, 500_000)).toEqual(paths);
});
