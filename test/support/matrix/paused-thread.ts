// The thread of paused-operator.ts.
import { parentPort, workerData } from 'node:worker_threads';
import { runOperator } from '#operator/run/main.ts';
import { createLogger } from '#telemetry/log.ts';
import { buildOperatorSettings } from './operator.ts';
import type { PausedData, PausedMessage } from './paused-operator.ts';

/** The thread resumes after this time even if no caller resumes it. */
const LIMIT_MS = 150_000;

const { place, identity, lease, write, gate } = workerData as PausedData;
const say = (message: PausedMessage) => parentPort?.postMessage(message);
let isOver = false;

try {
  await runOperator(buildOperatorSettings(place, { identity }), new AbortController().signal, {
    lease,
    log: createLogger({ name: 'operator', level: 'silent' }),
    intercept: async ({ name }, run) => {
      say({ kind: 'write', name });
      const answer = await run();
      if (name === write && !isOver) {
        isOver = true;
        say({ kind: 'paused' });
        Atomics.wait(new Int32Array(gate), 0, 0, LIMIT_MS);
      }
      return answer;
    },
  });
  say({ kind: 'ended', error: null });
} catch (error) {
  say({ kind: 'ended', error: error instanceof Error ? error.name : String(error) });
}
