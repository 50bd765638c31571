// The counters of answers in the reports of a node: when they are read, and to which api they are sent.
import { expect, test } from 'vitest';
import type { NodeReport, ReportAnswer } from '#contract/feed.ts';
import type { KnotItem } from '#nameserver/knot/protocol.ts';
import { reportAnswers } from '#nameserver/node/answers.ts';
import { FakeClock } from '../../support/time/fake-clock.ts';

const REPORT = { node: 'ns1' } as NodeReport;
const { signal } = new AbortController();
const item = (id: string, data: string): KnotItem =>
  ({ section: 'mod-stats', item: 'response-code', id, data }) as KnotItem;

function world(answer: Partial<ReportAnswer>) {
  const clock = new FakeClock();
  const sent: NodeReport[] = [];
  let reads = 0;
  const report = async (each: NodeReport, _signal: AbortSignal) => {
    sent.push(each);
    return {
      duplicate: false,
      compare: null,
      transfers: null,
      removals: null,
      salvage: null,
      endings: 'db/0',
      ...answer,
    };
  };
  const read = async () => {
    reads += 1;
    return [item('NOERROR', String(reads)), item('BADVERS', '2'), item('NOTIMPL', '3')];
  };
  const api = reportAnswers({ report }, read, clock);
  const tell = async () => {
    await api.report(REPORT, signal);
    await new Promise(setImmediate);
  };
  return { clock, sent, tell, reads: () => reads };
}

test('an api that takes the counters gets them, with rare codes together', async () => {
  const { sent, tell } = world({ answers: true });
  for (let at = 0; at < 3; at += 1) await tell();
  // The first answer says that the api takes them, and the second report begins to read them.
  expect(sent.map(({ answers }) => answers)).toEqual([
    undefined,
    undefined,
    { noerror: 1, nxdomain: 0, servfail: 0, refused: 0, other: 5 },
  ]);
});

test('an older api gets no field that it would refuse, and nothing is read', async () => {
  const { sent, tell, reads } = world({});
  for (let at = 0; at < 3; at += 1) await tell();
  expect(sent).toEqual([REPORT, REPORT, REPORT]);
  expect(reads()).toBe(0);
});

test('the counters are read once a minute', async () => {
  const { clock, sent, tell, reads } = world({ answers: true });
  for (let at = 0; at < 5; at += 1) await tell();
  expect(reads()).toBe(1);
  await clock.advance(60_000);
  await tell();
  await tell();
  expect([reads(), sent.at(-1)?.answers?.noerror]).toEqual([2, 2]);
});
