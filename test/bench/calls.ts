// The HTTP calls of a benchmark: kept-alive connections, no check of the answer, and no retries in measurements.
import { Agent, request } from 'undici';
import { delay } from '../../deploy/local/parts/wait.ts';
import type { Bench } from './support.ts';

/** Connections for all sides of a benchmark. */
export function createAgent(bench: Bench): Agent {
  const agent = new Agent({ connections: 128, allowH2: false });
  bench.atEnd(() => agent.close());
  return agent;
}

/** The same connections, and the same way to call, for both. */
export function caller(agent: Agent, base: string, headers: Record<string, string>) {
  return async (method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown) => {
    const answer = await request(`${base}${path}`, {
      method,
      headers,
      dispatcher: agent,
      body: body === undefined ? null : JSON.stringify(body),
    });
    return { status: answer.statusCode, text: await answer.body.text() };
  };
}

export type Call = ReturnType<typeof caller>;

/** The text of a successful answer. @throws any other answer */
export async function insist(call: ReturnType<Call>): Promise<string> {
  const { status, text } = await call;
  if (status < 200 || status > 299) throw new Error(`status ${status}: ${text.slice(0, 300)}`);
  return text;
}

const BUSY_MS = 1_000;
const MAX_TRIES = 120;

/**
 * The text of a successful answer, for the preparation of a benchmark: a busy service is asked again, for two minutes
 * at most. @throws any other answer
 */
export async function insistPatiently(call: () => ReturnType<Call>, signal: AbortSignal): Promise<string> {
  for (let tries = 1; ; tries += 1) {
    const answer = await call();
    if (answer.status !== 503 || tries === MAX_TRIES) return insist(Promise.resolve(answer));
    await delay(BUSY_MS, signal);
  }
}
