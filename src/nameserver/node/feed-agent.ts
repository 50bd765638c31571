// The connections of a node to the api. The authorities of ZONESTEAD_FEED_CA are read again for each request, so that a change of
// the file needs no restart: connections with other authorities are new ones, and requests in progress keep theirs.
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Agent, Dispatcher, EnvHttpProxyAgent } from 'undici';
import { ApiUnavailable } from '#client/errors.ts';

type Handler = Parameters<Dispatcher['dispatch']>[1];

interface FeedAgentOptions {
  /** A PEM file with the authorities that are trusted instead of those of the machine. */
  readonly caFile?: string | undefined;
  readonly connectMs: number;
}

/** Opens nothing before the first request. A request throws ApiUnavailable if the file has no authorities. */
export class FeedAgent extends Dispatcher {
  readonly #options: FeedAgentOptions;
  readonly #ending = new Set<Promise<unknown>>();
  #agent: EnvHttpProxyAgent | undefined;
  #authorities: string | undefined;

  constructor(options: FeedAgentOptions) {
    super();
    this.#options = options;
  }

  override dispatch(request: Agent.DispatchOptions, handler: Handler): boolean {
    return this.#current().dispatch(request, handler);
  }

  override async close(): Promise<void> {
    await Promise.all([this.#agent?.close(), ...this.#ending]);
  }

  override async destroy(): Promise<void> {
    await this.#agent?.destroy();
  }

  #current(): EnvHttpProxyAgent {
    const { caFile, connectMs } = this.#options;
    const ca = caFile === undefined ? undefined : readAuthorities(caFile);
    if (this.#agent !== undefined && ca === this.#authorities) return this.#agent;
    // Waits for the requests in progress, and among them is the feed.
    const before = this.#agent?.close().catch(() => undefined);
    if (before !== undefined) this.#keep(before);
    const connect = { timeout: connectMs, keepAlive: true, ...(ca === undefined ? {} : { ca }) };
    this.#authorities = ca;
    // HTTP/1.1 only, like the other clients: a half-open HTTP/2 session goes unnoticed.
    this.#agent = new EnvHttpProxyAgent({
      connections: 32,
      allowH2: false,
      connect,
      requestTls: connect,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    return this.#agent;
  }

  #keep(ending: Promise<unknown>): void {
    this.#ending.add(ending);
    void ending.finally(() => this.#ending.delete(ending));
  }
}

/** @throws ApiUnavailable if the file cannot be read, or has no certificate */
function readAuthorities(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    throw new ApiUnavailable(`The file ${file} of ZONESTEAD_FEED_CA cannot be read (${code})`, error);
  }
  try {
    new X509Certificate(text);
    return text;
  } catch (error) {
    throw new ApiUnavailable(
      `The file ${file} of ZONESTEAD_FEED_CA has no certificate: write the authorities of the api into it, as PEM`,
      error,
    );
  }
}
