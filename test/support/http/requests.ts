// Real HTTP to one address of the REST API, for tests. It can also send requests that no client would send.
import { type Dispatcher, request } from 'undici';
import { errorBody } from '#contract/error.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS';

export interface Reply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  /** The parsed JSON. An empty object if the body is empty or text. */
  body: Record<string, unknown>;
}

/**
 * Sends one request below /v1/dns.
 * @param body an object is sent as JSON, a string unchanged; both with the content type JSON unless `headers` has
 * another
 * @param key null sends no Authorization header
 */
export type Request = (
  method: Method,
  path: string,
  body?: unknown,
  key?: string | null,
  headers?: Record<string, string>,
) => Promise<Reply>;

/** Longer than any change waits for its zone in these tests. */
const LIMIT_MS = 120_000;

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
    // A zone file is the only answer that is text.
    const isText = text === '' || String(answer.headers['content-type']).startsWith('text/');
    return { status: answer.statusCode, headers: answer.headers, text, body: isText ? {} : JSON.parse(text) };
  };
}

/**
 * The status and code of an error, for example `409 conflict`.
 * @throws when the body is not an error body of the contract, or its message is not a sentence
 */
export function refusal({ status, headers, body, text }: Reply): string {
  const sentence = typeof body.message === 'string' && body.message.length > 10;
  const json = String(headers['content-type']).startsWith('application/json');
  if (!errorBody.strict().safeParse(body).success || !sentence || !json) {
    throw new Error(`not an error body of the contract: ${status} ${text}`);
  }
  return `${status} ${body.error}`;
}
