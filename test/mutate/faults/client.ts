// Faults in the client: its calls, and the pace of the operator's writes.
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
    name: 'client-challenge-line',
    breaks: 'a challenge waits behind records whose window is full',
    edits: [
      {
        file: 'src/client/pace/lanes.ts',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the source.
        find: "bucket === 'challenges' ? `${zone} challenges` : (zone ?? '')",
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the source.
        replace: "bucket === undefined ? `${zone} challenges` : (zone ?? '')",
      },
    ],
    project: 'unit',
    tests,
  },
  {
    name: 'client-challenge-window',
    breaks: 'challenges wait for the window of records',
    edits: [
      {
        file: 'src/client/pace/writer.ts',
        find: "isChallengeRecord(set) ? 'challenges' : 'records'",
        replace: "isChallengeRecord(set) ? 'records' : 'records'",
      },
    ],
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
        find: 'pauseUntil(this.#state.zonePaused.get(zone) ?? null, retryAfterMs)',
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
  {
    name: 'client-pace-blame',
    breaks: 'a batch that is too large for the service fails every change in it',
    edits: [
      {
        file: 'src/client/pace/dispatcher.ts',
        find: '(error.status === 400 || error.status === 413)',
        replace: 'error.status === 400',
      },
    ],
    project: 'unit',
    tests,
  },
  {
    name: 'client-pace-stated',
    breaks: 'an older answer overwrites the limit',
    edits: [
      {
        file: 'src/client/pace/budget.ts',
        find: 'if (budget.rate && taking.sentAt < budget.statedAt) return;',
        replace: '',
      },
    ],
    project: 'unit',
    tests,
  },
  {
    name: 'client-pace-batch-bytes',
    breaks: 'a batch is larger than the service takes',
    edits: [
      {
        file: 'src/client/pace/dispatcher.ts',
        find: 'const MAX_BATCH_BYTES = 512 * 1024;',
        replace: 'const MAX_BATCH_BYTES = 8 * 1024 * 1024;',
      },
    ],
    project: 'unit',
    tests,
  },
  {
    name: 'client-pace-batch-octets',
    breaks: 'a batch is measured in characters',
    edits: [
      {
        file: 'src/client/pace/dispatcher.ts',
        find: 'Buffer.byteLength(JSON.stringify(set))',
        replace: 'JSON.stringify(set).length',
      },
    ],
    project: 'unit',
    tests,
  },
  {
    name: 'client-pace-counts',
    breaks: 'a write that found its zone busy counts in the window',
    edits: [
      {
        file: 'src/client/pace/dispatcher.ts',
        find: 'counts &&= !isRateLimited(error) && !isBusy(error);',
        replace: 'counts &&= !isRateLimited(error);',
      },
    ],
    project: 'unit',
    tests,
  },
  {
    name: 'client-write-unseen',
    breaks: 'the choice of secondaries is not seen by the check of the leader',
    edits: [
      {
        file: 'src/client/write-interceptor.ts',
        find: "operation.method === 'GET' ||",
        replace: "operation.method === 'GET' || operation.method === 'PUT' ||",
      },
    ],
    project: 'unit',
    tests,
  },
  {
    name: 'client-answer-status',
    breaks: 'the answer with the second status of an operation is checked against the schema of the first',
    edits: [{ file: 'src/client/http.ts', find: 'others.includes(response.status) ? response.status : ', replace: '' }],
    project: 'unit',
    tests,
  },
];
