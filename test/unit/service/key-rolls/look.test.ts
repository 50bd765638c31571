// The decision after a look at the servers of a key roll.
import { expect, test } from 'vitest';
import { nextLook } from '#service/key-rolls/look.ts';

const NOW = new Date('2026-11-21T12:00:00Z');
const ago = (seconds: number) => new Date(NOW.getTime() - seconds * 1000);
const NEW = { since: ago(10), shownSince: null, holdS: null, waitsFor: null };
const SHOWN = { isShown: true, holdS: 300 } as const;
const HIDDEN = { isShown: false, waitsFor: 'ns1, which does not answer', dsTtl: 3_600 } as const;
const asked = { now: NOW, isAsked: true };

test('a step is taken when all servers have shown the one before for the TTL, and not a moment earlier', () => {
  expect(nextLook(NEW, SHOWN, asked)).toMatchObject({ shownSince: NOW, holdS: 300 });
  const waiting = { ...NEW, shownSince: ago(299), holdS: 300 };
  expect(nextLook(waiting, SHOWN, asked)).toMatchObject({ shownSince: ago(299) });
  expect(nextLook({ ...waiting, shownSince: ago(300) }, SHOWN, asked)).toBe('step');
  expect(nextLook({ ...waiting, shownSince: ago(300) }, { isShown: true, holdS: 600 }, asked)).toMatchObject({
    holdS: 600,
  });
  expect(nextLook({ ...waiting, shownSince: ago(299) }, { isShown: true, holdS: 5 }, asked)).toMatchObject({
    holdS: 300,
  });
});

test('a server that stops showing the step begins the wait again', () => {
  const waiting = { ...NEW, shownSince: ago(299), holdS: 300 };
  const look = nextLook(waiting, HIDDEN, asked);
  expect(look).toMatchObject({ shownSince: null, holdS: 3_600, waitsFor: 'ns1, which does not answer' });
});

test('the word of a person counts while the servers cannot be asked, and no longer', () => {
  const confirmed = { ...NEW, shownSince: ago(60), holdS: 60, waitsFor: 'the TTL' };
  expect(nextLook(confirmed, HIDDEN, { now: NOW, isAsked: false })).toBe('step');
  expect(nextLook(confirmed, HIDDEN, asked)).toMatchObject({ shownSince: null });
  expect(nextLook(NEW, HIDDEN, { now: NOW, isAsked: false })).toMatchObject({ shownSince: null });
});

test('a roll that waits for days asks the servers once a minute', () => {
  const pauses = [10, 600, 86_400].map((age) => {
    const look = nextLook({ ...NEW, since: ago(age) }, HIDDEN, asked);
    return look === 'step' ? 0 : (look.lookAt.getTime() - NOW.getTime()) / 1000;
  });
  expect(pauses).toEqual([1, 10, 60]);
});
