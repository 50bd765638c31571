// An outage of the database before a change, and after it.
import { expect, test } from 'vitest';
import { readAfterChange, toOutageRefusal } from '#service/outage.ts';
import { Refusal } from '#service/refusal.ts';
import { Outage } from '#store/outage.ts';

const refused = new Outage('NO_PRIMARY', 'nothing', 'no server of the database takes writes at the moment');
const ruleOf = (error: unknown) => (error instanceof Refusal ? error.rule : error);

test('an outage before a change says that nothing was written', () => {
  expect(ruleOf(toOutageRefusal(refused))).toBe('database-away');
  expect(ruleOf(toOutageRefusal(new Outage('SERVER_GIVEN_UP', 'unknown', 'lost')))).toBe('outcome-unknown');
});

test('an outage while the answer to a committed change is read does not say that nothing was written', async () => {
  const outcome = readAfterChange(() => Promise.reject(refused)).catch(ruleOf);
  expect(await outcome).toBe('outcome-unknown');
  const mistake = new Error('a mistake');
  expect(await readAfterChange(() => Promise.reject(mistake)).catch((error: unknown) => error)).toBe(mistake);
  expect(await readAfterChange(() => Promise.resolve(7))).toBe(7);
});
