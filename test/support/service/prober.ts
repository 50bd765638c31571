// Reads of one client from a thread of its own, so that the work of the attacking test does not count as waiting.
import { readFile } from 'node:fs/promises';
import { parentPort, Worker, workerData } from 'node:worker_threads';

export interface Probed {
  /** How long each read took, in ms. */
  times: number[];
  /** Reads that were answered with another status than 200, or not at all. */
  failed: number;
  /** The highest resident memory of the process meanwhile, in MiB. */
  rss: number;
}

interface Task {
  url: string;
  key: string;
  pid: number;
}

/** Between two reads, in ms. */
const PAUSE_MS = 20;

/** Reads one after the other until `stop` is called. @param pid the process whose memory is watched */
export function startProber(task: Task): { stop(): Promise<Probed> } {
  const worker = new Worker(new URL(import.meta.url), { workerData: task });
  return {
    stop: () =>
      new Promise((resolve, reject) => {
        worker.once('message', resolve);
        worker.once('error', reject);
        worker.postMessage('stop');
      }),
  };
}

async function probe({ url, key, pid }: Task): Promise<void> {
  const probed: Probed = { times: [], failed: 0, rss: 0 };
  let isOver = false;
  parentPort?.once('message', () => {
    isOver = true;
  });
  while (!isOver) {
    const since = performance.now();
    const headers = { authorization: `Bearer ${key}` };
    const status = await fetch(`${url}/v1/dns/zones?zoneName=nothing.example`, { headers }).then(
      async (answer) => (await answer.text()) && answer.status,
      () => null,
    );
    probed.times.push(performance.now() - since);
    if (status !== 200) probed.failed += 1;
    const memory = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    probed.rss = Math.max(probed.rss, Number(/VmRSS:\s+(\d+)/.exec(memory)?.[1] ?? 0) / 1_024);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  parentPort?.postMessage(probed);
}

if (parentPort !== null && (workerData as Partial<Task> | null)?.url !== undefined) await probe(workerData as Task);
