// The step after a watch, by how it ended.
import { describe, expect, test } from 'vitest';
import { errorFromAnswer } from '#kube/api/errors.ts';
import { afterWatch, type WatchEnd } from '#kube/cache/watch.ts';

describe('the step after a watch', () => {
  const run = (end: WatchEnd, events = 1, lastedMs = 5_000) => ({ end, events, lastedMs });
  const failed = (code: number, retryAfter?: string) =>
    run({ kind: 'failed', error: errorFromAnswer(code, '', retryAfter) }, 0);

  test.each([
    [
      'a watch that ended normally is reopened at once',
      run({ kind: 'closed', by: 'server' }, 0),
      undefined,
      { list: 'no', wait: 'none' },
    ],
    [
      'a silent one that had events is reopened at once',
      run({ kind: 'closed', by: 'silent' }, 1),
      undefined,
      { list: 'no', wait: 'none' },
    ],
    [
      'a very short one waits',
      run({ kind: 'closed', by: 'server' }, 0, 999),
      undefined,
      { list: 'no', wait: 'backoff' },
    ],
    ['an unreadable one lists', run({ kind: 'corrupt', problem: 'x' }), undefined, { list: 'atLast', wait: 'backoff' }],
    ['410 lists at once', failed(410), undefined, { list: 'atLast', wait: 'none' }],
    ['410 once more waits first', failed(410), 0, { list: 'atLast', wait: 'backoff' }],
    ['429 waits as told', failed(429, '9'), undefined, { list: 'no', wait: 9_000 }],
    ['429 without a time waits and does not list', failed(429), 300_000, { list: 'no', wait: 'backoff' }],
    ['503 waits as told', failed(503, '2'), undefined, { list: 'no', wait: 2_000 }],
    ['a lost connection is reopened', failed(0), 59_999, { list: 'no', wait: 'backoff' }],
    ['a minute of lost connections lists', failed(0), 60_000, { list: 'atLast', wait: 'backoff' }],
    ['a refusal lists', failed(403), undefined, { list: 'newest', wait: 'backoff' }],
  ] as const)('the step after a watch: %s', (_name, ended, failingForMs, expected) => {
    expect(afterWatch(ended, failingForMs)).toEqual(expected);
  });
});
