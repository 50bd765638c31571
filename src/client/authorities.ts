// An agent that trusts the authorities of a file instead of those of the machine. It reads the file again for each
// request, so that a change of the file needs no restart: connections with other authorities are new ones, and requests
// in progress keep theirs.
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Agent, Dispatcher } from 'undici';
import { ApiUnavailable } from './errors.ts';

type Handler = Parameters<Dispatcher['dispatch']>[1];

interface AuthoritiesAgentOptions {
  /** A PEM file. (Default: the authorities of the machine.) */
  readonly caFile: string | undefined;
  /** The setting that names the file, for messages. */
  readonly setting: 'ZONESTEAD_FEED_CA' | 'ZONESTEAD_URL_CA';
  /** Makes the agent for these authorities. */
  create(ca: string | undefined): Dispatcher;
}

/** Opens nothing before the first request. A request throws ApiUnavailable if the file has no authorities. */
export class AuthoritiesAgent extends Dispatcher {
  readonly #options: AuthoritiesAgentOptions;
  readonly #ending = new Set<Promise<unknown>>();
  #agent: Dispatcher | undefined;
  #authorities: string | undefined;

  constructor(options: AuthoritiesAgentOptions) {
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

  #current(): Dispatcher {
    const { caFile, setting, create } = this.#options;
    const ca = caFile === undefined ? undefined : readAuthorities(caFile, setting);
    if (this.#agent !== undefined && ca === this.#authorities) return this.#agent;
    // Waits for the requests in progress, which can be as long as the feed.
    const before = this.#agent?.close().catch(() => undefined);
    if (before !== undefined) this.#keep(before);
    this.#authorities = ca;
    this.#agent = create(ca);
    return this.#agent;
  }

  #keep(ending: Promise<unknown>): void {
    this.#ending.add(ending);
    void ending.finally(() => this.#ending.delete(ending));
  }
}

/** The connections to the service. @param connections (Default: 16.) */
export function createAgent(caFile: string | undefined, connections = 16): Dispatcher {
  return new AuthoritiesAgent({
    caFile,
    setting: 'ZONESTEAD_URL_CA',
    // HTTP/1.1 only: undici's HTTP/2 sessions can be half open without being noticed.
    create: (ca) => new Agent({ connections, allowH2: false, ...(ca === undefined ? {} : { connect: { ca } }) }),
  });
}

/** @throws ApiUnavailable if the file cannot be read, or has no certificate */
function readAuthorities(file: string, setting: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    throw new ApiUnavailable(`The file ${file} of ${setting} cannot be read (${code})`, error);
  }
  try {
    new X509Certificate(text);
    return text;
  } catch (error) {
    throw new ApiUnavailable(
      `The file ${file} of ${setting} has no certificate: write the authorities of the api into it, as PEM`,
      error,
    );
  }
}
