// Which zones a name server has to forget, look by look.
import { describe, expect, it } from 'vitest';
import { look, type Memory } from '../../../src/nameserver/changed-zones.ts';

const start: Memory = { since: '100', seen: new Map() };
const changed = (horizon: string, ...zones: [zone: string, xid: string][]) => ({
  horizon,
  zones: zones.map(([zone, xid]) => ({ zone, xid })),
});

/** What is purged at each of the looks, one after the other. */
function purges(...looks: ReturnType<typeof changed>[]): string[][] {
  let memory = start;
  return looks.map((each) => {
    const result = look(memory, each);
    memory = result.memory;
    return result.purge.sort();
  });
}

describe('a changed zone', () => {
  it('is purged twice: a question under way may have cached what was there before', () => {
    expect(purges(changed('110', ['a', '105']), changed('110'), changed('110'))).toEqual([['a'], ['a'], []]);
  });

  it('is purged no more than twice, however long an older transaction keeps it in sight', () => {
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

  it('is purged on its own: others keep their count', () => {
    expect(
      purges(changed('100', ['a', '105']), changed('100', ['a', '105'], ['b', '107']), changed('110', ['b', '107'])),
    ).toEqual([['a'], ['a', 'b'], ['b']]);
  });

  it('that was deleted and made anew shows twice, in any order: its latest change counts', () => {
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

it('the next look asks from the horizon of this one', () => {
  expect(look(start, changed('117')).memory.since).toBe('117');
});

it('memory does not grow: what left the horizon and was purged twice is forgotten', () => {
  let memory = start;
  for (let n = 0; n < 50; n++) memory = look(memory, changed(String(100 + n), [`zone${n}`, String(100 + n)])).memory;
  expect(memory.seen.size).toBeLessThanOrEqual(2);
});

it('looking does not change the memory it is given: a look that cannot be acted on is repeated', () => {
  const first = look(start, changed('110', ['a', '105']));
  expect(start.seen.size).toBe(0);
  expect(look(start, changed('110', ['a', '105']))).toEqual(first);
});
