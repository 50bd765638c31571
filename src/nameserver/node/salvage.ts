// Sends zones that the node holds and the database lacks to the api, when an administrator asks for them: first the
// records in parts, then the key, which ends the zone. The private
// keys of zones that the api has are sent only if an administrator asks for these alone.
import type { ReportAnswer } from '#contract/feed.ts';
import {
  MAX_ENDINGS,
  MAX_SALVAGE_BYTES,
  MAX_SALVAGE_PARTS,
  MAX_SALVAGE_SETS,
  type SalvagePart,
} from '#contract/feed-salvage.ts';
import { zoneOrigin } from '#contract/zone-origin.ts';
import { isLater } from '#dns/serial.ts';
import { addToDigest, EMPTY_DIGEST, type ServedSet } from '#dns/served.ts';
import type { Logger } from '#telemetry/log.ts';
import type { ZoneEngine } from '../engine.ts';
import type { FeedApi } from './api.ts';
import { textOfError } from './faults.ts';
import type { KnownZone, NodeState } from './state.ts';

interface SalvagerOptions {
  readonly api: Pick<FeedApi, 'salvage'>;
  readonly engine: Pick<ZoneEngine, 'read' | 'privateKeys'>;
  readonly state: NodeState;
  readonly log: Logger;
}

type Request = NonNullable<ReportAnswer['salvage']>;
type Content = SalvagePart['content'];

interface Contents {
  readonly parts: ServedSet[][];
  readonly end: Extract<Content, { kind: 'zone' }>;
}

/** A part of RRsets ends here: the rest of a request is its head. */
const PART_BYTES = MAX_SALVAGE_BYTES / 2;
const MAX_SETS = MAX_SALVAGE_PARTS * MAX_SALVAGE_SETS;

export class Salvager {
  readonly #options: SalvagerOptions;
  readonly #signal: AbortSignal;
  /** The token of the request that is done or under way. */
  #token: string | null = null;
  #work: Promise<void> = Promise.resolve();
  #isBusy = false;

  constructor(options: SalvagerOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
  }

  /** Begins to send, once for each token. A request that failed begins again with the next answer. */
  told(request: Request | null): void {
    if (request === null || request.token === this.#token || this.#isBusy || this.#signal.aborted) return;
    this.#token = request.token;
    this.#isBusy = true;
    this.#work = this.#sendAll(request).finally(() => {
      this.#isBusy = false;
    });
  }

  /** Resolves when nothing is sent any more. */
  settled(): Promise<void> {
    return this.#work;
  }

  async #sendAll({ token, zones, endings, keysOnly }: Request): Promise<void> {
    const { log } = this.#options;
    try {
      for (const zone of zones) await (keysOnly ? this.#sendKeys(token, zone) : this.#send(token, zone));
      if (endings) await this.#sendEndings(token);
      log.info({ zones: zones.length }, 'the node sent zones, or their keys, that an administrator brings back');
    } catch (error) {
      if (this.#signal.aborted) return;
      this.#token = null;
      log.warn(`failed to send a zone that an administrator brings back: ${textOfError(error)}`);
    }
  }

  async #send(token: string, zone: string): Promise<void> {
    const { api, state } = this.#options;
    const give = (content: Content) => api.salvage({ token, instance: state.instance, zone, content }, this.#signal);
    const row = state.rows().get(zone);
    if (row === undefined || row.unlisted === null)
      return give({ kind: 'failed', error: 'the name server does not hold the zone' });
    let contents: Contents;
    try {
      contents = await this.#collect(row);
    } catch (error) {
      if (this.#signal.aborted) throw error;
      return give({ kind: 'failed', error: textOfError(error).slice(0, 500) });
    }
    for (const [at, sets] of contents.parts.entries())
      await give({ kind: 'sets', part: at + 1, sets: sets.map(toContract) });
    return give(contents.end);
  }

  /** The api encrypts them before it writes them down. */
  async #sendKeys(token: string, zone: string): Promise<void> {
    const { api, engine, state } = this.#options;
    const give = (content: Content) => api.salvage({ token, instance: state.instance, zone, content }, this.#signal);
    if (!state.rows().has(zone)) return give({ kind: 'failed', error: 'the name server does not hold the zone' });
    let privateKeys: readonly string[];
    try {
      privateKeys = await engine.privateKeys(zone, this.#signal);
    } catch (error) {
      if (this.#signal.aborted) throw error;
      return give({ kind: 'failed', error: textOfError(error).slice(0, 500) });
    }
    if (privateKeys.length === 0) return give({ kind: 'failed', error: 'the name server has no key of the zone' });
    return give({ kind: 'keys', privateKeys: [...privateKeys] });
  }

  async #sendEndings(token: string): Promise<void> {
    const { api, state } = this.#options;
    const all = state.endings();
    for (let part = Math.ceil(all.length / MAX_ENDINGS); part >= 0; part -= 1) {
      // The parts have the numbers from 1; the last one that is sent is empty.
      const endings = part === 0 ? [] : all.slice((part - 1) * MAX_ENDINGS, part * MAX_ENDINGS);
      const content = { kind: 'endings', part, endings } as const;
      await api.salvage({ token, instance: state.instance, zone: '', content }, this.#signal);
    }
  }

  /** Everything is read before anything is sent: a slow api must not hold up the name server. */
  async #collect(row: KnownZone): Promise<Contents> {
    const { engine } = this.#options;
    const { id, name, serial, engineSerial } = row;
    if (engineSerial === null) throw new Error('the name server does not know the contents of the zone');
    const parts: ServedSet[][] = [];
    let [count, bytes, digest] = [0, 0, EMPTY_DIGEST];
    for await (const page of engine.read(name, this.#signal)) {
      digest = addToDigest(digest, page);
      for (const set of page) {
        const size = JSON.stringify(set).length * 2;
        const last = parts.at(-1);
        const isFull = last === undefined || last.length >= MAX_SALVAGE_SETS || bytes + size > PART_BYTES;
        if (isFull) parts.push([set]);
        else last.push(set);
        bytes = isFull ? size : bytes + size;
        count += 1;
        if (parts.length > MAX_SALVAGE_PARTS || count > MAX_SETS)
          throw new Error(`the zone is too large to be sent; it has more than ${count} RRsets`);
      }
    }
    const privateKeys = [...(await engine.privateKeys(name, this.#signal))];
    const latest = isLater(serial, engineSerial) ? serial : engineSerial;
    const end = { id, serial: latest, privateKeys, origin: readOrigin(row), parts: parts.length, sets: count, digest };
    return { parts, end: { kind: 'zone', ...end } };
  }
}

function readOrigin({ origin }: KnownZone) {
  if (origin === null) return null;
  const result = zoneOrigin.safeParse(JSON.parse(origin));
  return result.success ? result.data : null;
}

function toContract({ name, type, ttl, rdata }: ServedSet) {
  return { name, type, ttl, rdata: [...rdata] };
}
