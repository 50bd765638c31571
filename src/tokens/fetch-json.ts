// Fetches a JSON document from an address that a tenant may have chosen. Without these limits, the tenant could have
// machines in our network called, or keep the process busy with answers that never end.
import { lookup as lookUp } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, type Dispatcher, request } from 'undici';
import { type Clock, realClock } from '#base/clock.ts';
import { deadline } from '#base/deadline.ts';
import { exceedsJson } from '#base/json-bounds.ts';
import { publicAddresses } from '#base/public-address.ts';

const LIMIT_MS = 5_000;
const MAX_BYTES = 256 * 1024;

/** The media type of a set of keys (RFC 7517 section 8.5.2). kube-apiserver answers with no other for its keys. */
export const KEYS_TYPE = 'application/jwk-set+json';

const isPublic = publicAddresses();

export interface FetchTerms {
  readonly ca?: string | undefined;
  /** See TokenIssuer. */
  readonly privateAddresses: boolean;
}

/**
 * The message continues a sentence: "The keys cannot be fetched: …". It says nothing about the content of an answer.
 */
export class FetchProblem extends Error {
  override readonly name = 'FetchProblem';
}

/**
 * One GET: no redirects, at most 5 s and 256 kB, with TLS. The address is checked when the connection is opened,
 * because the owner of a name can change its addresses at any time.
 * @throws FetchProblem
 */
export async function fetchJson(address: string, terms: FetchTerms, clock: Clock = realClock): Promise<unknown> {
  const url = checkAddress(address, terms);
  const limit = deadline(clock, LIMIT_MS);
  const agent = new Agent({
    allowH2: false,
    connect: {
      allowH2: false,
      ...(terms.ca === undefined ? {} : { ca: terms.ca }),
      ...(terms.privateAddresses ? {} : { lookup: lookUpPublic }),
    },
  });
  try {
    const answer = await request(url, {
      dispatcher: agent,
      headers: { accept: `application/json, ${KEYS_TYPE}`, 'user-agent': 'zonestead' },
      signal: limit.signal,
    });
    if (answer.statusCode >= 300 && answer.statusCode < 400)
      throw new FetchProblem(`${url.host} redirects to another address`);
    if (answer.statusCode !== 200) throw new FetchProblem(`${url.host} answers with the status ${answer.statusCode}`);
    const document = await readBody(answer.body, url.host);
    if (exceedsJson(document) !== null)
      throw new FetchProblem(`the answer of ${url.host} is nested too deep, or has too many values`);
    return JSON.parse(document.toString('utf8'));
  } catch (cause) {
    if (cause instanceof FetchProblem) throw cause;
    if (limit.expired()) throw new FetchProblem(`${url.host} does not answer within ${LIMIT_MS / 1000} s`);
    if (cause instanceof SyntaxError) throw new FetchProblem(`the answer of ${url.host} is not JSON`);
    const { code = 'unknown failure' } = cause as NodeJS.ErrnoException;
    throw new FetchProblem(`${url.host} cannot be reached (${code})`);
  } finally {
    limit.clear();
    // Also ends an answer of which the rest is not wanted.
    void agent.destroy();
  }
}

/** @throws FetchProblem if no document may be fetched from there */
export function checkAddress(address: string, { privateAddresses }: FetchTerms): URL {
  const url = URL.parse(address);
  if (url === null) throw new FetchProblem('the address is not a URL');
  if (url.protocol !== 'https:' && !(privateAddresses && url.protocol === 'http:'))
    throw new FetchProblem('the address does not begin with https://');
  if (url.username !== '' || url.password !== '') throw new FetchProblem('the address contains a user name');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  // Node.js looks up names only, so this check and that of lookUpPublic complete each other.
  if (!privateAddresses && isIP(host) !== 0 && !isPublic(host))
    throw new FetchProblem(`the address of ${url.host} is not public`);
  return url;
}

const lookUpPublic: LookupFunction = (host, options, callback) => {
  lookUp(host, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return callback(error, '');
    const allowedAddresses = addresses.filter(({ address }) => isPublic(address));
    const [first] = allowedAddresses;
    if (first === undefined) return callback(new FetchProblem(`the address of ${host} is not public`), '');
    if (options.all) callback(null, allowedAddresses);
    else callback(null, first.address, first.family);
  });
};

async function readBody(body: Dispatcher.ResponseData['body'], host: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new FetchProblem(`the answer of ${host} has more than ${MAX_BYTES / 1024} kB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
