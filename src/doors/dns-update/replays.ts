// Messages that were answered lately, and those in progress, by key and MAC. A client over UDP repeats a message that
// was not answered in time, and an attacker can repeat one until its time is too far away: both get the answer of the
// first one. The database keeps the answers of accepted updates for longer, for all replicas
// (service/updates/update.ts).

/** Longer than a message is valid: FUDGE seconds before and after its time. */
const KEPT_MS = 11 * 60_000;
const MAX = 4_096;

export interface Replays {
  /**
   * Runs `work` for a message, unless it ran before or is running.
   * @param work `isFinal`: a repetition gets this answer too; otherwise it is tried again, for instance after a busy
   * zone
   */
  once(mac: string, work: () => Promise<{ answer: Uint8Array; isFinal: boolean }>): Promise<Uint8Array>;
}

/** @param now in ms */
export function createReplays(now: () => number): Replays {
  const runningByMac = new Map<string, Promise<Uint8Array>>();
  // A map keeps the order of insertion, so its first entry is the oldest.
  const answerByMac = new Map<string, { answer: Uint8Array; at: number }>();

  function keep(mac: string, answer: Uint8Array): void {
    const at = now();
    answerByMac.set(mac, { answer, at });
    for (const [oldest, entry] of answerByMac) {
      if (answerByMac.size <= MAX && at - entry.at < KEPT_MS) break;
      answerByMac.delete(oldest);
    }
  }

  return {
    once(mac, work) {
      const runningWork = runningByMac.get(mac);
      if (runningWork !== undefined) return runningWork;
      const earlierAnswer = answerByMac.get(mac);
      if (earlierAnswer !== undefined && now() - earlierAnswer.at < KEPT_MS)
        return Promise.resolve(earlierAnswer.answer);
      const startedWork = (async () => {
        try {
          const { answer, isFinal } = await work();
          if (isFinal) keep(mac, answer);
          return answer;
        } finally {
          runningByMac.delete(mac);
        }
      })();
      runningByMac.set(mac, startedWork);
      return startedWork;
    },
  };
}
