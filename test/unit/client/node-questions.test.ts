// The questions for the nodes of a zone: shared by proofs, in turns by namespace.
import { expect, test } from 'vitest';
import { createNodeQuestions, MAX_QUESTIONS } from '#client/node-questions.ts';
import { listZoneNodes } from '#contract/operations/zones.ts';
import { fakeClient, on } from '../../support/service/fake-client.ts';
import { FakeClock } from '../../support/time/fake-clock.ts';

/** An api whose nodes are behind, so that each answer takes half a second. */
function setUp() {
  const clock = new FakeClock();
  const asked: string[] = [];
  let inFlight = 0;
  let most = 0;
  const client = fakeClient(
    on(listZoneNodes, async ({ params: { id } }) => {
      asked.push(id);
      inFlight += 1;
      most = Math.max(most, inFlight);
      await new Promise<void>((resolve) => clock.setTimeout(resolve, 500));
      inFlight -= 1;
      return { nodes: [], secondaries: [] };
    }),
  );
  const questions = createNodeQuestions(clock);
  const { signal } = new AbortController();
  const ask = (zone: string, group: string) => questions.ask(client, zone, group, signal);
  return { clock, asked, ask, questions, client, most: () => most };
}

test('the proofs of one namespace in one zone share a question', async () => {
  const { clock, asked, ask } = setUp();
  const all = Array.from({ length: 50 }, () => ask('zone', 'a'));
  await clock.advance(600);
  await Promise.all(all);
  expect(asked).toEqual(['zone']);
});

test('a namespace with many zones does not delay the questions of another one, in its own zone and in a shared one', async () => {
  const { clock, asked, ask, most } = setUp();
  for (let n = 0; n < 200; n += 1) void ask(`zone${n}`, 'flood');
  await clock.advance(100);
  void ask('own', 'quiet');
  void ask('zone199', 'quiet');
  await clock.advance(10);
  expect(asked).toEqual(expect.arrayContaining(['own', 'zone199']));
  await clock.advance(30_000);
  expect(asked).toHaveLength(202);
  expect(most()).toBeLessThanOrEqual(MAX_QUESTIONS);
});

test('a question that is asked again while it waits is sent once, and one that was sent does not serve later proofs', async () => {
  const { clock, asked, ask } = setUp();
  void ask('zone', 'a');
  await clock.advance(10);
  void ask('zone', 'a');
  void ask('zone', 'a');
  await clock.advance(2_000);
  expect(asked).toEqual(['zone', 'zone']);
});

test('a proof that is given up leaves at once', async () => {
  const { client, questions } = setUp();
  const abort = new AbortController();
  const given = expect(questions.ask(client, 'zone', 'a', abort.signal)).rejects.toThrow('enough');
  abort.abort(new Error('enough'));
  await given;
});
