// The text that tells one run of knotd from the next.
import { expect, test } from 'vitest';
import { identifyRun } from '#nameserver/knot/run.ts';
import { testKnot } from '../../../support/knot/knot.ts';

test('the text of a run is the same while knotd runs, and another one after it was killed and started again', async () => {
  const knot = await testKnot();
  const first = identifyRun(knot.folder);
  await knot.control.run('status');
  expect(first).not.toBeNull();
  expect(identifyRun(knot.folder)).toBe(first);
  await knot.restart('SIGKILL');
  const second = identifyRun(knot.folder);
  expect(second).not.toBeNull();
  expect(second).not.toBe(first);
});
