// Real HTTP to one address of the REST API, for tests: whatever is asked is sent, also what no client would send.
import type { Dispatcher } from 'undici';
import { request } from 'undici';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS';

export interface Reply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  /** The parsed JSON; an empty object when there is no body, or text. */
  body: Record<string, unknown>;
}

/**
 * One request below /v1/dns.
 * @param body an object is sent as JSON, a text as it is; both with content type JSON unless `headers` say otherwise
 * @param key null: without the Authorization header
 */
export type Request = (
  method: Method,
  path: string,
  body?: unknown,
  key?: string | null,
  headers?: Record<string, string>,
) => Promise<Reply>;

const LIMIT_MS = 20_000;

export function createRequest(url: string, agent: Dispatcher, defaultKey: string): Request {
  return async (method, path, body, key = defaultKey, headers = {}) => {
    const answer = await request(`${url}/v1/dns${path}`, {
      dispatcher: agent,
      method,
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
      headersTimeout: LIMIT_MS,
      bodyTimeout: LIMIT_MS,
    });
    const text = await answer.body.text();
    // A zone file is the one answer that is text.
    const isText = text === '' || String(answer.headers['content-type']).startsWith('text/');
    return { status: answer.statusCode, headers: answer.headers, text, body: isText ? {} : JSON.parse(text) };
  };
}

/**
 * `409 conflict` and the like: status and code of an error.
 * @throws when the body is not exactly `{error, message}` with a sentence, as SPEC section 7 says
 */
export function refusal({ status, headers, body, text }: Reply): string {
  const sentence = typeof body.message === 'string' && body.message.length > 10;
  const json = String(headers['content-type']).startsWith('application/json');
  if (Object.keys(body).sort().join() !== 'error,message' || !sentence || !json) {
    throw new Error(`not an error body of the contract: ${status} ${text}`);
  }
  return `${status} ${body.error}`;
}
