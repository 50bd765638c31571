// The HTTP calls of a benchmark: kept-alive connections, no retries, no check of the answer.
import { Agent, request } from 'undici';
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
