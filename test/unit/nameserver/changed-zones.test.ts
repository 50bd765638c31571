// The zones that a name server must drop from its cache after each query for changes.
import { describe, expect, it } from 'vitest';
import { begin, look } from '#nameserver/companion/changed-zones.ts';

const start = begin({ horizon: '100', server: 'one' });
const changed = (horizon: string, ...zones: [zone: string, xid: string][]) => ({
  horizon,
  server: 'one',
  zones: zones.map(([zone, xid]) => ({ zone, xid })),
});

/** The zones that are purged after each of the queries. */
function purges(...looks: ReturnType<typeof changed>[]): string[][] {
  let memory = start;
  return looks.map((each) => {
    const result = look(memory, each);
    memory = result.memory;
    return result.purge.sort();
  });
}

describe('a changed zone', () => {
  it('is purged twice, because a query in progress may have cached the old answer', () => {
    expect(purges(changed('110', ['a', '105']), changed('110'), changed('110'))).toEqual([['a'], ['a'], []]);
  });

  it('is purged no more than twice, even if an older transaction keeps it inside the horizon', () => {
    const same = changed('100', ['a', '105']);
    expect(purges(same, same, same, same, changed('120'))).toEqual([['a'], ['a'], [], [], []]);
  });

  it('is purged twice again for each later change', () => {
    expect(
      purges(
        changed('100', ['a', '105']),
        changed('100', ['a', '106']),
        changed('100', ['a', '106']),
        changed('100', ['a', '106']),
      ),
    ).toEqual([['a'], ['a'], ['a'], []]);
  });

  it('does not change the number of purges of other zones', () => {
    expect(
      purges(changed('100', ['a', '105']), changed('100', ['a', '105'], ['b', '107']), changed('110', ['b', '107'])),
    ).toEqual([['a'], ['a', 'b'], ['b']]);
  });

  it('that was deleted and created again appears twice, in any order, and its latest change counts', () => {
    const anew = changed('100', ['a', '106'], ['a', '99']);
    const later = changed('100', ['a', '107'], ['a', '99']);
    const turned = changed('100', ['a', '99'], ['a', '108']);
    expect(purges(anew, anew, anew, later, later, later, turned, turned, turned)).toEqual([
      ...[['a'], ['a'], []],
      ...[['a'], ['a'], []],
      ...[['a'], ['a'], []],
    ]);
  });
});

it('the next query starts at the horizon of this one', () => {
  expect(look(start, changed('117')).memory.since).toBe('117');
});

it('memory does not grow, because a change that left the horizon and was purged twice is forgotten', () => {
  let memory = start;
  for (let n = 0; n < 50; n++) memory = look(memory, changed(String(100 + n), [`zone${n}`, String(100 + n)])).memory;
  expect(memory.seen.size).toBeLessThanOrEqual(2);
});

it('a plan does not change the memory that it is given, so that a failed purge can be repeated', () => {
  const first = look(start, changed('110', ['a', '105']));
  expect(start.seen.size).toBe(0);
  expect(look(start, changed('110', ['a', '105']))).toEqual(first);
});

describe('after a lost connection that led to another server', () => {
  const from = (server: string, ...rest: Parameters<typeof changed>) => ({ ...changed(...rest), server });
  const first = look(start, from('one', '200', ['a', '150']));

  it('everything is purged twice, for any horizon of the other server', () => {
    const second = look(first.memory, from('two', '180'));
    const third = look(second.memory, from('two', '190', ['b', '185']));
    const fourth = look(third.memory, from('two', '190', ['b', '185']));
    expect([first, second, third, fourth].map(({ everything }) => everything)).toEqual([false, true, true, false]);
  });

  it('the next query starts at the horizon of the other server, even if it lags behind', () => {
    expect(look(first.memory, from('two', '180')).memory).toMatchObject({ since: '180', server: 'two' });
  });

  it('a restart of the same server counts as another server, because its connections and caches are new', () => {
    expect(look(first.memory, from('one, started later', '210')).everything).toBe(true);
  });
});
