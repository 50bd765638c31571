// Requests to a server with the HTTP API of PowerDNS, as its clients send them.
import { request } from 'undici';

export interface PowerDnsReply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  /** The parsed JSON; null for an empty body or a text. */
  body: unknown;
}

export type PowerDnsRequest = (
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS',
  path: string,
  body?: unknown,
  headers?: Record<string, string | undefined>,
) => Promise<PowerDnsReply>;

/** Longer than any change waits for its zone in these tests. */
const LIMIT_MS = 120_000;

/** @param url without /api. A path begins after the address of the server, or with /api. */
export function powerDnsClient(url: string, key: string | null): PowerDnsRequest {
  return async (method, path, body, headers = {}) => {
    const address = path.startsWith('/api') ? path : `/api/v1/servers/localhost${path}`;
    const sent = {
      ...(key === null ? {} : { 'x-api-key': key }),
      'content-type': 'application/json',
      accept: 'application/json',
      ...headers,
    };
    const answer = await request(`${url}${address}`, {
      method,
      headers: Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined)) as Record<
        string,
        string
      >,
      body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
      headersTimeout: LIMIT_MS,
      bodyTimeout: LIMIT_MS,
    });
    const text = await answer.body.text();
    const isJson = String(answer.headers['content-type']).startsWith('application/json') && text !== '';
    return { status: answer.statusCode, headers: answer.headers, text, body: isJson ? JSON.parse(text) : null };
  };
}

export interface RrsetJson {
  name: string;
  type: string;
  ttl: number;
  records: { content: string; disabled: boolean }[];
  comments: unknown[];
}

/** A change of an RRset for a PATCH. @param name absolute */
export function replace(name: string, type: string, contents: readonly string[], ttl = 300) {
  const records = contents.map((content) => ({ content, disabled: false }));
  return { name, type, ttl, changetype: 'REPLACE', records };
}

/**
 * The RRsets in the answer of a zone, as sorted texts `name type ttl content, content`, without SOA and NS of the apex.
 */
export function formatRrsets(body: unknown): string[] {
  const { name: zone, rrsets } = body as { name: string; rrsets: RrsetJson[] };
  return rrsets
    .filter(({ name, type }) => name !== zone || (type !== 'SOA' && type !== 'NS'))
    .map(
      ({ name, type, ttl, records }) =>
        `${name} ${type} ${ttl} ${records
          .map(({ content }) => content)
          .sort()
          .join(', ')}`,
    )
    .sort();
}
