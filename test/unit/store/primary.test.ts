import { afterEach, describe, expect, test } from 'vitest';
import type { Host } from '#base/postgres-address.ts';
import { findPrimaryProblem, PrimaryFinder } from '#store/primary.ts';
import type { ServerState } from '#store/server-state.ts';

const history = (timeline: number, system = 's') => ({ system, timeline });
const server = (set: Partial<ServerState> = {}): ServerState => ({
  isWritable: true,
  history: history(1),
  active: null,
  ...set,
});

test('a server is used if it takes writes and no higher timeline of its cluster was seen', () => {
  expect(findPrimaryProblem(server(), null)).toBeNull();
  expect(findPrimaryProblem(server({ history: history(3) }), history(2))).toBeNull();
  expect(findPrimaryProblem(server({ history: null }), history(2))).toBeNull();
  expect(findPrimaryProblem(server({ history: history(1, 'restored') }), history(2))).toBeNull();
});

test('a server is not used if it is a standby, or an old primary that came back', () => {
  expect(findPrimaryProblem(server({ isWritable: false }), null)).toMatch(/takes no writes/);
  expect(findPrimaryProblem(server({ history: history(1) }), history(2))).toMatch(/old primary on timeline 1/);
});

describe('the search for the primary', () => {
  const A: Host = { host: 'a', port: 1 };
  const B: Host = { host: 'b', port: 2 };
  const finders: PrimaryFinder[] = [];
  afterEach(() => {
    for (const finder of finders.splice(0)) finder.close();
  });
  type Answer = ServerState | Error | 'silent';
  const finderOf = (answers: Record<string, () => Answer>) => {
    const ask = async ({ host }: { host: Host }) => {
      const answer = answers[host.host]?.();
      if (answer === 'silent') return new Promise<never>(() => undefined);
      if (answer === undefined || answer instanceof Error) throw answer;
      return answer;
    };
    const finder = new PrimaryFinder({ hosts: [A, B], ask });
    finders.push(finder);
    return finder;
  };

  test('the search for the primary finds it behind a server that does not answer, or cannot be reached', async () => {
    expect(await finderOf({ a: () => 'silent', b: () => server() }).find()).toBe(B);
    const refused = Object.assign(new Error('x'), { code: 'ECONNREFUSED' });
    expect(await finderOf({ a: () => refused, b: () => server() }).find()).toBe(B);
  });

  test('the search for the primary asks again until a standby is promoted, and says meanwhile what is wrong', async () => {
    let promoted = false;
    const refused = Object.assign(new Error('x'), { code: 'ECONNREFUSED' });
    const finder = finderOf({ a: () => refused, b: () => server({ isWritable: promoted }) });
    const found = finder.find();
    expect(finder.find()).toBe(found);
    await expect.poll(() => finder.problem).toMatch(/^a:1 cannot be asked \(ECONNREFUSED\), b:2 takes no writes/);
    promoted = true;
    expect(await found).toBe(B);
  });

  test('the search for the primary takes the higher timeline of two primaries, and never goes back to the lower one', async () => {
    let isThere = true;
    const finder = finderOf({
      a: () => server({ history: history(1) }),
      b: () => (isThere ? server({ history: history(2) }) : new Error('away')),
    });
    expect(await finder.find()).toBe(B);
    isThere = false;
    const next = finder.find();
    await expect.poll(() => finder.problem).toMatch(/a:1 is an old primary on timeline 1/);
    isThere = true;
    expect(await next).toBe(B);
  });

  test('the search for the primary ends when it is closed', async () => {
    const finder = finderOf({ a: () => 'silent', b: () => 'silent' });
    const found = finder.find();
    finder.close();
    await expect(found).rejects.toThrow('the database was closed');
  });
});
