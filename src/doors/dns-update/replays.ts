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
  const running = new Map<string, Promise<Uint8Array>>();
  // A map keeps the order of insertion, so its first entry is the oldest.
  const answered = new Map<string, { answer: Uint8Array; at: number }>();

  function keep(mac: string, answer: Uint8Array): void {
    const at = now();
    answered.set(mac, { answer, at });
    for (const [oldest, entry] of answered) {
      if (answered.size <= MAX && at - entry.at < KEPT_MS) break;
      answered.delete(oldest);
    }
  }

  return {
    once(mac, work) {
      const known = running.get(mac);
      if (known !== undefined) return known;
      const found = answered.get(mac);
      if (found !== undefined && now() - found.at < KEPT_MS) return Promise.resolve(found.answer);
      const started = (async () => {
        try {
          const { answer, isFinal } = await work();
          if (isFinal) keep(mac, answer);
          return answer;
        } finally {
          running.delete(mac);
        }
      })();
      running.set(mac, started);
      return started;
    },
  };
}
