// Clients that write as the REST reference asks while Postgres fails over: each creates records one after the other,
// and sends a request that got 503 again with its Idempotency-Key until it is acknowledged.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Reply, Request } from '../../support/http/requests.ts';

interface Acknowledged {
  zone: string;
  name: string;
  id: string;
}

export interface FailoverLoad {
  acknowledged(): number;
  /** The longest time between two acknowledged writes of all clients. */
  longestGapMs(): number;
  /** Answers that no client may get, and serials that went back. */
  unexpected(): readonly string[];
  /** Lets each client finish its write. @returns all acknowledged writes of all loads with these zones */
  stop(): Promise<readonly Acknowledged[]>;
}

/** The clients of each zone: several, so that their writes are committed as groups. */
const CLIENTS = 3;
const RETRY_MS = 50;
const all = new WeakMap<readonly string[], Acknowledged[]>();

export function startFailoverLoad(request: Request, zones: readonly string[]): FailoverLoad {
  const written = all.get(zones) ?? [];
  all.set(zones, written);
  const unexpected: string[] = [];
  let [running, acknowledged, last, gap] = [true, 0, performance.now(), 0];

  async function untilWritten(zone: string, name: string): Promise<string | null> {
    const token = randomUUID();
    const body = { name, type: 'TXT', content: `"${token}"` };
    for (;;) {
      const reply = await request('POST', `/zones/${zone}/records`, body, undefined, { 'idempotency-key': token });
      if (reply.status === 201) return reply.body.id as string;
      if (reply.status !== 503 || reply.headers['retry-after'] === undefined) {
        unexpected.push(describe(reply));
        return null;
      }
      // Earlier than Retry-After, to meet more moments of the failover.
      await sleep(RETRY_MS);
    }
  }

  async function client(zone: string): Promise<void> {
    while (running) {
      const name = `n${randomUUID().slice(0, 8)}`;
      const id = await untilWritten(zone, name);
      if (id === null) return;
      written.push({ zone, name, id });
      acknowledged += 1;
      gap = Math.max(gap, performance.now() - last);
      last = performance.now();
    }
  }

  async function reader(zone: string): Promise<void> {
    let serial = 0;
    while (running) {
      const reply = await request('GET', `/zones/${zone}`);
      if (reply.status === 200) {
        const now = Number(reply.body.serial);
        if (now < serial) unexpected.push(`the serial of ${zone} went from ${serial} to ${now}`);
        serial = now;
      } else if (reply.status !== 503) unexpected.push(describe(reply));
      await sleep(RETRY_MS);
    }
  }

  // The api answers all the time; a request without an answer means that it has ended.
  const noAnswer = (error: unknown) => void unexpected.push(String(error));
  const clients = zones.flatMap((zone) => [
    reader(zone).catch(noAnswer),
    ...Array.from({ length: CLIENTS }, () => client(zone).catch(noAnswer)),
  ]);
  return {
    acknowledged: () => acknowledged,
    longestGapMs: () => Math.round(gap),
    unexpected: () => unexpected,
    stop: async () => {
      running = false;
      await Promise.all(clients);
      return written;
    },
  };
}

function describe({ status, text }: Reply): string {
  return `${status} ${text}`;
}
