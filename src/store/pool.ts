// The connections to one server. A pool that is of no use any more is dropped: its statements fail at once, also those
// whose server does not answer, and its sockets are closed.
//
// The driver opens connections to several hosts too, but in 3.4.9 it tries them in turn without a pause and without an
// end while none is the primary, gives up at the first host that does not answer, and takes a standby for writable. So
// each pool has one host, and primary.ts finds it.
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from 'postgres';
import { type Host, hostText } from '#base/postgres-address.ts';
import { Outage, type Written } from './outage.ts';
import type { Protect } from './tls.ts';

/** One statement or transaction that waits for the server. */
export interface PoolWork {
  /** When it began to wait, in ms of the pool's clock; null while the server waits for us. */
  waitsSince(): number | null;
  /** The process of the server that works on it; null while it has no connection. */
  pid(): number | null;
  /** Whether its statement or its commit was sent, so that it may be written. */
  mayBeWritten(): boolean;
  /** Fails for its caller, now. The server may continue. */
  fail(error: Outage): void;
}

/** The driver's parameters of one pool. @param socket makes the connections, and protects them as it is told */
export type MakeSql = (socket: (protect: Protect | null) => Promise<Socket>) => Sql;

/** The pause after a connection that the server closed before it answered, in ms: the driver itself repeats at once. */
const PAUSE_MS = 100;
/** An idle connection whose peer vanished is noticed after 2 s and 3 probes, 1 s apart (Node 26; 12 s with Node 24). */
const KEEP_ALIVE = [true, 2_000, 1_000, 3] as const;

/** Connections without work get this long to say goodbye, in ms. */
const IDLE_END_MS = 250;

export class Pool {
  readonly sql: Sql;
  /** The server, when it is known. */
  readonly host: Promise<Host>;
  /** The server that connections go to; null while it is searched for. */
  current: Host | null = null;
  readonly #sockets = new Set<Socket>();
  readonly #work = new Set<PoolWork>();
  readonly #now: () => number;
  #closedAtOnce = Number.NEGATIVE_INFINITY;
  #dropped = false;
  #answered: number;

  /** @param host if it rejects, the pool is dropped with that error */
  constructor(make: MakeSql, host: Promise<Host>, now: () => number) {
    this.#now = now;
    this.#answered = now();
    this.host = host;
    this.host.then(
      (foundHost) => {
        this.current = foundHost;
      },
      (error: Outage) => this.drop(error),
    );
    this.sql = make((protect) => this.#connect(protect));
  }

  get isDropped(): boolean {
    return this.#dropped;
  }

  /** The time of the last answer of the server, in ms. */
  get answered(): number {
    return this.#answered;
  }

  get work(): ReadonlySet<PoolWork> {
    return this.#work;
  }

  /** @returns to be called when the server has answered, or the connection is lost */
  enter(work: PoolWork): () => void {
    this.#work.add(work);
    return () => {
      this.#work.delete(work);
      this.#answered = this.#now();
    };
  }

  /** Fails all work and closes all connections, also those whose peer does not answer. */
  drop(error: Outage): void {
    if (this.#dropped) return;
    this.#dropped = true;
    for (const work of this.#work) work.fail(asOutage(error, work.mayBeWritten() ? 'unknown' : 'nothing'));
    this.#work.clear();
    void this.sql.end({ timeout: 0 });
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Ends the connections; statements under way get `graceMs` to finish. */
  async end(graceMs: number): Promise<void> {
    // A connection that was lost with something to be written never ends automatically.
    const timeout = this.#work.size > 0 ? graceMs : Math.min(graceMs, IDLE_END_MS);
    await this.sql.end({ timeout: timeout / 1000 });
    this.#dropped = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  /** The driver takes the socket as connected: Node keeps its first message until it is. It must never reject. */
  async #connect(protect: Protect | null): Promise<Socket> {
    const host = await this.host.catch(() => null);
    const wait = this.#closedAtOnce + PAUSE_MS - this.#now();
    if (wait > 0) await sleep(wait);
    if (host === null || this.#dropped) return deadSocket(closedError());
    const socket = new Socket();
    this.#sockets.add(socket);
    socket.once('close', () => {
      this.#sockets.delete(socket);
      if (socket.bytesRead === 0) this.#closedAtOnce = this.#now();
    });
    socket.setNoDelay(true);
    (socket.setKeepAlive as (...parameters: readonly unknown[]) => void).call(socket, ...KEEP_ALIVE);
    socket.connect(host);
    if (protect === null) return named(socket, host);
    try {
      const securedSocket = await protect(socket, host);
      this.#sockets.add(securedSocket);
      securedSocket.once('close', () => this.#sockets.delete(securedSocket));
      return named(securedSocket, host);
    } catch (error) {
      this.#closedAtOnce = this.#now();
      return deadSocket(this.#dropped ? closedError() : (error as Error));
    }
  }
}

/** The driver names the server in its messages by these. */
function named(socket: Socket, host: Host): Socket {
  return Object.assign(socket, host);
}

/** A connection that fails with this error as soon as the driver listens to it. */
function deadSocket(error: Error): Socket {
  const socket = new Socket();
  setImmediate(() => socket.destroy(error));
  return socket;
}

function closedError(): Outage {
  return new Outage('CONNECTION_ENDED', 'nothing', 'the connections were closed');
}

function asOutage({ code, message, cause }: Outage, writeState: Written): Outage {
  return new Outage(code, writeState, message, cause);
}

/** The error for a server that is given up. */
export function givenUp(host: Host | null, why: string): Outage {
  const name = host === null ? 'the database server' : `the database server ${hostText(host)}`;
  return new Outage('SERVER_GIVEN_UP', 'unknown', `${name} ${why}`);
}
