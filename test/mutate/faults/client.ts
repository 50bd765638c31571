// Faults in the pace of the operator's client.
import type { Fault } from '../fault.ts';

const tests = ['test/unit/client'];

export const CLIENT_FAULTS: readonly Fault[] = [
  {
    name: 'client-rate-inflight',
    breaks: 'a batch is sized as if no other request of the key were under way',
    edits: [{ file: 'src/client/pace/budget.ts', find: '- since - underWay;', replace: '- since;' }],
    project: 'unit',
    tests,
  },
  {
    name: 'client-abort-any',
    breaks: 'one job that gives up cancels the batch of all others',
    edits: [
      {
        file: 'src/client/abort.ts',
        find: 'signals.every(({ aborted }) => aborted)',
        replace: 'signals.some(({ aborted }) => aborted)',
      },
    ],
    project: 'unit',
    tests,
  },
  {
    name: 'client-pause-zone-shorter',
    breaks: 'a second busy ends the pause of calls that belong to no zone earlier than the first one said',
    edits: [
      {
        file: 'src/client/pace/dispatcher.ts',
        find: 'pauseUntil(state.zonePaused.get(zone) ?? null, retryAfterMs)',
        replace: 'pauseUntil(null, retryAfterMs)',
      },
    ],
    project: 'unit',
    tests,
  },
  {
    name: 'client-pause-shorter',
    breaks: 'a second 429 ends the pause of a key earlier than the first one said',
    edits: [
      {
        file: 'src/client/pace/dispatcher.ts',
        find: 'pauseUntil(bucket.pausedUntil, retryAfterMs)',
        replace: 'pauseUntil(null, retryAfterMs)',
      },
    ],
    project: 'unit',
    tests,
  },
];
