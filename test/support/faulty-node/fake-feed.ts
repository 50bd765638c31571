// The zones of an api in memory, and a server of the feed for them that causes faults: answers that are cut in the
// middle of a list, a zone or a line, garbage, silence, refusals, wrong digests, missing end lines. The integration
// tests use the real api.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FeedLine, NodeReport } from '#contract/feed.ts';
import { DEFAULT_DENIAL, type Denial } from '#dns/dnssec/denial.ts';
import { addToDigest, EMPTY_DIGEST, type ServedSet } from '#dns/served.ts';
import { listContents } from './memory-engine.ts';

interface FeedZone {
  readonly id: string;
  readonly name: string;
  version: number;
  readonly sets: Map<string, ServedSet[]>;
}

export interface Fault {
  /** Which answers: the path must match. */
  readonly path: RegExp;
  /** How often it happens. (Default: once.) */
  times?: number;
  /** Answers with this status. */
  readonly status?: number;
  readonly retryAfter?: string;
  /** Ends the connection after so many bytes. */
  readonly cutAfter?: number;
  /** Stays silent after so many bytes. */
  readonly stallAfter?: number;
  /** Changes each line before it is sent; null omits it. */
  readonly rewrite?: (line: string) => string | null;
}

interface Listener {
  readonly response: ServerResponse;
  /** The number of changes that were sent. */
  at: number;
}

const SOA = { mname: 'ns1.test', rname: 'hostmaster.test', refresh: 1, retry: 1, expire: 1, minimum: 60, ttl: 60 };

export class FakeFeed {
  readonly zones = new Map<string, FeedZone>();
  readonly reports: NodeReport[] = [];
  readonly requests: string[] = [];
  readonly faults: Fault[] = [];
  epoch = 'db.1';
  soa = SOA;
  duplicate = false;
  compare: string | null = null;
  /** The epoch whose removals are accepted. */
  removals: string | null = null;
  /** The private keys of zones, by name. (Default: one for each id.) */
  readonly keys = new Map<string, string>();
  /** How zones deny names, by name. (Default: NSEC.) */
  readonly denials = new Map<string, Denial>();
  dateOffsetMs = 0;
  beatMs = 20;
  #serial = 100;
  #changes: { zone: FeedZone; names: string[] | null; isGone: boolean }[] = [];
  /** Changes before this one are no longer known. */
  #oldest = 0;
  readonly #listeners = new Set<Listener>();
  #server: Server | undefined;
  #beats: NodeJS.Timeout | undefined;
  url = '';

  async start(): Promise<void> {
    const server = createServer((request, response) => void this.#answer(request, response));
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.#beats = setInterval(() => {
      for (const each of this.#listeners) this.#send(each.response, [{ kind: 'beat', cursor: this.cursor() }]);
    }, this.beatMs);
  }

  async stop(): Promise<void> {
    clearInterval(this.#beats);
    this.#server?.closeAllConnections();
    await new Promise((resolve) => (this.#server === undefined ? resolve(null) : this.#server.close(resolve)));
  }

  cursor(): string {
    return `${this.epoch}:${this.#changes.length}`;
  }

  create(name: string, sets: readonly ServedSet[] = []): FeedZone {
    const zone: FeedZone = { id: `z${++this.#serial}`, name, version: ++this.#serial, sets: new Map() };
    for (const set of [apex(), ...sets]) zone.sets.set(set.name, [...(zone.sets.get(set.name) ?? []), set]);
    this.zones.set(name, zone);
    this.#commit({ zone, names: null, isGone: false });
    return zone;
  }

  /** Sets all RRsets of names; an empty list removes the name. */
  set(name: string, changes: Readonly<Record<string, readonly ServedSet[]>>): void {
    this.change(name, changes);
    this.tell(name, Object.keys(changes));
  }

  /**
   * The line of these names, as the zone is now. The real feed also finds the names of one transaction after those of
   * the next.
   */
  tell(name: string, names: string[]): void {
    this.#commit({ zone: this.zone(name), names, isGone: false });
  }

  /** The same as `set`, without a notice. */
  change(name: string, changes: Readonly<Record<string, readonly ServedSet[]>>): void {
    const zone = this.zone(name);
    zone.version = ++this.#serial;
    for (const [owner, sets] of Object.entries(changes)) {
      if (sets.length === 0) zone.sets.delete(owner);
      else zone.sets.set(owner, [...sets]);
    }
  }

  delete(name: string): void {
    const zone = this.zone(name);
    this.zones.delete(name);
    this.#commit({ zone, names: null, isGone: true });
  }

  /** Changes the zone without a notice, as a restored database does together with `restored`. */
  rewind(name: string, sets: readonly ServedSet[]): void {
    const zone = this.zone(name);
    zone.version = ++this.#serial;
    zone.sets.clear();
    for (const set of [apex(), ...sets]) zone.sets.set(set.name, [...(zone.sets.get(set.name) ?? []), set]);
  }

  /** The zone is not in the database any more, without a notice, as in a restored database together with `restored`. */
  lose(name: string): void {
    this.zones.delete(name);
  }

  /** The database is another one: no cursor is known any more. */
  restored(): void {
    this.epoch = `${this.epoch}1`;
    this.forget();
  }

  /** Cursors up to now are too old. */
  forget(): void {
    this.#oldest = this.#changes.length;
    this.pass();
    this.#oldest = this.#changes.length;
    this.cut();
  }

  /** The cursor advances, and no zone changes. */
  pass(): void {
    this.#changes.push({ zone: { id: 'none', name: 'none', version: 0, sets: new Map() }, names: [], isGone: false });
  }

  /** Sends all changes once more. */
  repeat(): void {
    for (const { response } of this.#listeners) this.#send(response, this.#lines(this.#oldest));
  }

  /** Ends all connections of the feed. */
  cut(): void {
    for (const { response } of this.#listeners) response.destroy();
    this.#listeners.clear();
  }

  zone(name: string): FeedZone {
    const zone = this.zones.get(name);
    if (zone === undefined) throw new Error(`no such zone: ${name}`);
    return zone;
  }

  contents(): Record<string, string[]> {
    return listContents([...this.zones.values()].map(({ name, sets }) => [name, [...sets.values()].flat()]));
  }

  get connections(): number {
    return this.#listeners.size;
  }

  #commit(change: { zone: FeedZone; names: string[] | null; isGone: boolean }): void {
    this.#changes.push(change);
    for (const listener of this.#listeners) {
      this.#send(listener.response, this.#lines(listener.at));
      listener.at = this.#changes.length;
    }
  }

  /** The lines of the changes from a number on, rendered from the state as it is now. */
  #lines(from: number): FeedLine[] {
    return this.#changes.slice(from).flatMap(({ zone, names, isGone }, index): FeedLine[] => {
      const cursor = `${this.epoch}:${from + index + 1}`;
      const { id, name } = zone;
      if (isGone) return [{ kind: 'gone', id, name, cursor }];
      if (this.zones.get(name) !== zone) return [];
      const head = { id, name, version: `v${zone.version}`, serial: zone.version };
      if (names === null) return [{ kind: 'reload', ...head, cursor }];
      const sets = names.flatMap((owner) =>
        (zone.sets.get(owner) ?? []).map(({ weights, rdata, ...set }) => ({
          ...set,
          rdata: [...rdata],
          ...(weights === undefined ? {} : { weights: [...weights] }),
        })),
      );
      return [{ kind: 'change', ...head, names, sets, cursor }];
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://fake');
    this.requests.push(`${request.method} ${url.pathname}${url.search}`);
    response.sendDate = false;
    response.setHeader('date', new Date(Date.now() + this.dateOffsetMs).toUTCString());
    const body = await text(request);
    const fault = this.#fault(url.pathname);
    if (fault?.status !== undefined) {
      if (fault.retryAfter !== undefined) response.setHeader('retry-after', fault.retryAfter);
      const error = fault.status === 401 ? 'unauthorized' : 'busy';
      return this.#json(response, fault.status, { error, message: `fault ${fault.status}`, requestId: 'r' });
    }
    if (fault !== null) disturb(response, fault);
    const [, , , zones, id, digest] = url.pathname.split('/');
    if (zones === 'report') return this.#report(response, body);
    if (zones === 'endings') return this.#json(response, 200, { endings: [], last: null });
    if (zones === undefined) return this.#follow(response, url.searchParams.get('after'));
    const zone = [...this.zones.values()].find((each) => each.id === id);
    if (zone === undefined)
      return this.#json(response, 404, { error: 'no_zone', message: 'no such zone', requestId: 'r' });
    const sets = [...zone.sets.values()].flat();
    const head = { id: zone.id, name: zone.name, version: `v${zone.version}`, serial: zone.version };
    const end = { sets: sets.length, digest: addToDigest(EMPTY_DIGEST, sets) };
    if (digest !== undefined) return this.#json(response, 200, { ...head, ...end });
    const keys = [{ privateKey: this.keys.get(zone.name) ?? `key of ${zone.id}`, algorithm: 13, state: 'active' }];
    const sealed = { keys: [{ publicKey: zone.id, algorithm: 13, state: 'active' }], seal: `seal of ${zone.id}` };
    const denial = this.denials.get(zone.name) ?? DEFAULT_DENIAL;
    const origin = { team: 'team_1', user: null, state: 'active', defaultTtl: 3600, denial, ...sealed };
    this.#send(response, [{ kind: 'zone', ...head, soa: this.soa, keys, denial, origin }]);
    for (let at = 0; at < sets.length; at += 500)
      this.#send(response, [{ kind: 'sets', sets: sets.slice(at, at + 500) }]);
    this.#send(response, [{ kind: 'end', ...end }]);
    response.end();
  }

  #follow(response: ServerResponse, after: string | null): void {
    const [epoch, at] = after?.split(':') ?? [];
    const resumed = epoch === this.epoch && Number(at) >= this.#oldest && Number(at) <= this.#changes.length;
    const cursor = resumed && after !== null ? after : this.cursor();
    const lines: unknown[] = [{ kind: 'begin', epoch: this.epoch, resumed, cursor }];
    if (resumed) lines.push(...this.#lines(Number(at)));
    else {
      for (const { id, name, version } of this.zones.values())
        lines.push({ kind: 'listed', id, name, version: `v${version}`, serial: version });
      lines.push({ kind: 'list-end', zones: this.zones.size, cursor });
    }
    this.#send(response, lines);
    const listener = { response, at: this.#changes.length };
    this.#listeners.add(listener);
    response.on('close', () => this.#listeners.delete(listener));
  }

  #report(response: ServerResponse, body: string): void {
    this.reports.push(JSON.parse(body));
    const { duplicate, compare, removals } = this;
    this.#json(response, 200, {
      duplicate,
      compare,
      transfers: null,
      removals,
      salvage: null,
      endings: `${this.epoch}/0`,
    });
  }

  #fault(path: string): Fault | null {
    const at = this.faults.findIndex((each) => each.path.test(path));
    const fault = this.faults[at];
    if (fault === undefined) return null;
    fault.times = (fault.times ?? 1) - 1;
    if (fault.times <= 0) this.faults.splice(at, 1);
    return fault;
  }

  #send(response: ServerResponse, lines: readonly unknown[]): void {
    for (const line of lines) if (!response.destroyed) response.write(`${JSON.stringify(line)}\n`);
  }

  #json(response: ServerResponse, status: number, body: unknown): void {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  }
}

/** Puts the fault between the lines and the connection. */
function disturb(response: ServerResponse, { cutAfter, stallAfter, rewrite = (line) => line }: Fault): void {
  const write = response.write.bind(response) as (chunk: string) => boolean;
  let bytes = 0;
  let isSilent = false;
  response.write = ((chunk: string) => {
    if (isSilent) return true;
    const line = rewrite(chunk);
    if (line === null) return true;
    const limit = cutAfter ?? stallAfter ?? Number.POSITIVE_INFINITY;
    const part = line.slice(0, Math.max(0, limit - bytes));
    bytes += line.length;
    if (part !== '') write(part);
    if (bytes <= limit) return true;
    isSilent = true;
    if (cutAfter !== undefined) setImmediate(() => response.destroy());
    return true;
  }) as typeof response.write;
  const end = response.end.bind(response) as () => ServerResponse;
  response.end = (() => (isSilent ? response : end())) as typeof response.end;
}

async function text(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += chunk;
  return body;
}

export function apex(): ServedSet {
  return { name: '@', type: 'NS', ttl: 3600, rdata: ['ns1.test.'] };
}

export function address(name: string, ...rdata: string[]): ServedSet {
  return { name, type: 'A', ttl: 300, rdata: rdata.length === 0 ? ['192.0.2.1'] : rdata };
}
