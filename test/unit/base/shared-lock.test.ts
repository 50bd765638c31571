import { expect, test } from 'vitest';
import { SharedLock } from '#base/shared-lock.ts';

/** Notes the order in which the waits end. */
function observe() {
  const lock = new SharedLock();
  const order: string[] = [];
  const note = async (name: string, wait: Promise<() => void>) => {
    const release = await wait;
    order.push(name);
    return release;
  };
  return { lock, order, note };
}

test('holders share the lock, and one that has it alone waits for them', async () => {
  const { lock, order, note } = observe();
  const [first, second] = await Promise.all([note('first', lock.share()), note('second', lock.share())]);
  const alone = note('alone', lock.takeAlone());
  first?.();
  await Promise.resolve();
  expect(order).toEqual(['first', 'second']);
  second?.();
  (await alone)();
  expect(order).toEqual(['first', 'second', 'alone']);
});

test('the lock of one holder alone excludes all others, also if it is given back twice', async () => {
  const { lock, order, note } = observe();
  const release = await note('alone', lock.takeAlone());
  const later = [note('shared', lock.share()), note('again', lock.takeAlone())] as const;
  await Promise.resolve();
  expect(order).toEqual(['alone']);
  release();
  const shared = await later[0];
  release();
  await Promise.resolve();
  expect(order).toEqual(['alone', 'shared']);
  shared();
  await later[1];
  expect(order).toEqual(['alone', 'shared', 'again']);
});

test('a wait for the lock alone is not passed by later ones, and lets them go when it is aborted', async () => {
  const { lock, order, note } = observe();
  await note('first', lock.share());
  const stop = new AbortController();
  const alone = lock.takeAlone(stop.signal);
  const later = note('later', lock.share());
  await Promise.resolve();
  expect(order).toEqual(['first']);
  stop.abort(new Error('enough'));
  await expect(alone).rejects.toThrow('enough');
  await later;
  expect(order).toEqual(['first', 'later']);
  await expect(lock.share(stop.signal)).rejects.toThrow('enough');
});
