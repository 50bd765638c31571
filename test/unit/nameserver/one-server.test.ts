// Detects from the servers of new connections whether an address leads to one PostgreSQL server.
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { alternating, FIRST_LOOKS, watchOneServer } from '#nameserver/companion/one-server.ts';

const server = (name: string) => ({ started: `start of ${name}`, address: `${name}:5432` });
const seen = (names: string) => [...names].map(server);
const addresses = (names: string) => alternating(seen(names)).map(({ address }) => address);

describe('an address', () => {
  it.each([
    ['ABA', 2],
    ['AABBA', 2],
    ['ABCA', 3],
    ['AABABB', 2],
  ])('alternates if a server returns after another one: %s', (names, count) => {
    expect(addresses(names)).toHaveLength(count);
  });

  it.each(['', 'A', 'AAAAAAAA', 'AAAABBBB', 'AABBCC'])(
    'does not alternate if one server replaces another: "%s"',
    (names) => {
      expect(addresses(names)).toEqual([]);
    },
  );
});

describe('the watch', () => {
  /** Watches until `looks` connections were made. They lead to these servers and then always to the last one. */
  async function watchOf(names: string, looks: number) {
    const stop = new AbortController();
    let made = 0;
    const watch = watchOneServer(async () => server(names[Math.min(made++, names.length - 1)] ?? ''));
    const running = watch.run(stop.signal);
    onTestFinished(() => stop.abort());
    await expect.poll(() => made, { interval: 5 }).toBe(looks);
    await sleep(5);
    stop.abort();
    await running;
    return watch;
  }

  it('reports one server after the first connections, and not before', async () => {
    const stop = new AbortController();
    const watch = watchOneServer(() => Promise.reject(new Error('the database is away')));
    const running = watch.run(stop.signal);
    expect(watch.problem()).toMatch(/not yet known/);
    stop.abort();
    await running;
    expect(watch.problem()).toMatch(/not yet known/);
    expect((await watchOf('A', FIRST_LOOKS)).problem()).toBeNull();
  });

  it('names several servers and says which address to use instead', async () => {
    const watch = await watchOf('ABABABAB', FIRST_LOOKS);
    expect(watch.problem()).toContain('several PostgreSQL servers in turn (A:5432, B:5432)');
    expect(watch.problem()).toContain('use the address of the primary');
    expect(watch.count()).toBe(2);
  });
});
