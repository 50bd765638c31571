// For every test file: measures how long each `expect.poll` waits, from its first look to its last one.
import { afterEach, expect } from 'vitest';
import './poll-times.ts';

const MEASURED = Symbol.for('zonestead.measured-polls');

interface Measured {
  [MEASURED]?: { began: number; last: number }[];
}

const state = expect as typeof expect & Measured;
// Files of one worker share the module of Vitest, and each runs this one.
if (state[MEASURED] === undefined) {
  const poll = expect.poll;
  state.poll = ((look, options) => {
    const wait = { began: performance.now(), last: performance.now() };
    state[MEASURED]?.push(wait);
    const measured = async (...given: Parameters<typeof look>) => {
      wait.last = performance.now();
      return look(...given);
    };
    return poll(measured, options);
  }) as typeof poll;
}
const waits: { began: number; last: number }[] = [];
state[MEASURED] = waits;

afterEach(({ task }) => {
  const polls = waits.splice(0).map(({ began, last }) => (last - began) / 1_000);
  if (polls.length > 0) task.meta.polls = polls;
});
