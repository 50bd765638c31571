// Asks a name server for many names until each has the right answer.
import { createSocket } from 'node:dgram';
import { decode, encode } from 'dns-packet';
import type { ProbeEndpoint } from '#nameserver/probe/probe.ts';

/** Questions under way. */
const ASKING = 32;
/**
 * Between a wrong answer and the next question for the name: with thousands of names, asking at once would take a core.
 */
const AGAIN_MS = 5;
/** A question or an answer got lost: asking sooner would only make a busy server busier. */
const LOST_MS = 1_000;

/**
 * Queries names of the zone over one socket, so that the answers are measured and not the queries.
 * @param numbers 7 stands for the name n7; at most 65535
 * @param isRight whether these are the addresses of the n-th name
 */
export async function allAnswered(
  dns: ProbeEndpoint,
  zoneName: string,
  numbers: readonly number[],
  isRight: (n: number, addresses: readonly string[]) => boolean,
  signal: AbortSignal,
): Promise<void> {
  const socket = createSocket('udp4');
  const missing = new Set(numbers);
  const asked = new Map<number, number>();
  let isOver = false;
  const askFor = (n: number) => {
    if (isOver) return;
    asked.set(n, performance.now());
    const question = { type: 'query' as const, id: n, questions: [{ type: 'A' as const, name: `n${n}.${zoneName}` }] };
    socket.send(encode(question), dns.port, dns.address);
  };
  const askMore = () => {
    const now = performance.now();
    let open = 0;
    for (const n of missing) {
      if (open === ASKING) return;
      open += 1;
      if (now - (asked.get(n) ?? -Infinity) > LOST_MS) askFor(n);
    }
  };
  const again = setInterval(askMore, LOST_MS / 10);
  try {
    await new Promise<void>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      socket.on('error', reject);
      socket.on('message', (bytes) => {
        const { id = -1, answers = [] } = decode(bytes);
        const addresses = answers.flatMap(({ type, data }) => (type === 'A' ? [String(data)] : []));
        if (isRight(id, addresses)) missing.delete(id);
        else if (missing.has(id)) return void setTimeout(askFor, AGAIN_MS, id);
        if (missing.size > 0) askMore();
        else resolve();
      });
      askMore();
    });
  } finally {
    isOver = true;
    clearInterval(again);
    socket.close();
  }
}
