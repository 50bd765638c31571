// The counters of answers in the reports of a node. They are read once a minute, and sent only to an api that takes
// them: an older one refuses a report with a field that it does not know.
import type { Clock } from '#base/clock.ts';
import { ANSWER_RESULTS, type AnswerCounts } from '#contract/feed.ts';
import type { KnotItem } from '../knot/protocol.ts';
import { answersByCode } from '../knot/statistics.ts';
import type { FeedApi } from './api.ts';

const EVERY_MS = 60_000;

/**
 * The same api, whose reports have the counters.
 * @param read the statistics of knotd; null before its first answer. An error leaves the last counters
 */
export function reportAnswers<Api extends Pick<FeedApi, 'report'>>(
  api: Api,
  read: () => Promise<readonly KnotItem[] | null>,
  clock: Clock,
): Api {
  let isWanted = false;
  let counts: AnswerCounts | null = null;
  let readAt = Number.NEGATIVE_INFINITY;
  const refresh = async (): Promise<void> => {
    const items = await read().catch(() => null);
    if (items !== null) counts = countAnswers(items);
  };
  return {
    ...api,
    report: async (report, signal) => {
      if (isWanted && clock.now() - readAt >= EVERY_MS) {
        readAt = clock.now();
        // A report never waits for knotd.
        void refresh();
      }
      const isSent = isWanted && counts !== null;
      const answer = await api.report(isSent ? { ...report, answers: counts ?? undefined } : report, signal);
      isWanted = answer.answers === true;
      return answer;
    },
  };
}

function countAnswers(items: readonly KnotItem[]): AnswerCounts {
  const byCode = answersByCode(items);
  const counts = Object.fromEntries(ANSWER_RESULTS.map((result) => [result, 0])) as AnswerCounts;
  for (const [code, value] of byCode) {
    const result = ANSWER_RESULTS.find((each) => each === code.toLowerCase()) ?? 'other';
    counts[result] += value;
  }
  return counts;
}
