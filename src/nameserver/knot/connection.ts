// One connection to knotd's control socket. Commands are answered in the order in which they were sent, and a command
// need not wait for the answer of the one before it.
//
// A connection is open until it is ended, or until the first failure of any kind: a command that was aborted or timed
// out would otherwise leave its answer to the next one.
import { connect, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { Clock } from '#base/clock.ts';
import { deadline } from '#base/deadline.ts';
import { KnotError } from './errors.ts';
import { BLOCK, END, encodeUnit, type KnotItem, type Unit, UnitDecoder } from './protocol.ts';

export type KnotArguments = Omit<KnotItem, 'command' | 'error'>;
export type KnotUnits = Iterable<KnotArguments> | AsyncIterable<KnotArguments>;

/** The treatment of the answer to a command. */
export interface AnswerReader {
  /** Gets items as they arrive. While a promise that it returns is pending, nothing more is read. */
  take: (items: KnotItem[]) => void | Promise<void>;
  /** From the call to the end of the answer. */
  limitMs: number;
  signal: AbortSignal | undefined;
}

interface Pending {
  take: AnswerReader['take'];
  resolve: () => void;
  reject: (error: unknown) => void;
}

/** Units are written in pieces of about this size. */
const PIECE_OCTETS = 64 * 1024;

export class KnotConnection {
  readonly #socket: Socket;
  readonly #clock: Clock;
  readonly #pending: Pending[] = [];
  #sending: Promise<void> = Promise.resolve();
  #failure: unknown;

  private constructor(socket: Socket, clock: Clock) {
    this.#socket = socket;
    this.#clock = clock;
    // Without a listener, an error after the end would end the process.
    socket.on('error', (error) => this.#fail(unreachable(error.message)));
    void this.#receive();
  }

  /** @throws the system's error (ENOENT, ECONNREFUSED, EAGAIN, EACCES), or the signal's reason */
  static open(path: string, clock: Clock, signal: AbortSignal | undefined): Promise<KnotConnection> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const socket = connect({ path });
      const onAbort = () => {
        socket.destroy();
        reject(signal?.reason);
      };
      const onError = (error: Error) => {
        signal?.removeEventListener('abort', onAbort);
        reject(error);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      socket.once('error', onError);
      socket.once('connect', () => {
        signal?.removeEventListener('abort', onAbort);
        socket.off('error', onError);
        resolve(new KnotConnection(socket, clock));
      });
    });
  }

  /**
   * Sends one command with one or more units, and resolves at the end of its answer. Errors are items of the answer;
   * Knot also executes the units after a unit that it refuses.
   * @throws KnotError, or the signal's reason; the connection is closed then
   */
  async command(command: string, units: KnotUnits, { take, limitMs, signal }: AnswerReader): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    const limit = deadline(this.#clock, limitMs, signal);
    const onAbort = () => this.#fail(limit.expired() ? timedOut(command, limitMs) : limit.signal.reason);
    limit.signal.addEventListener('abort', onAbort, { once: true });
    try {
      const pendingAnswer = new Promise<void>((resolve, reject) => this.#pending.push({ take, resolve, reject }));
      if (limit.signal.aborted) onAbort();
      // A later command must not be written between the pieces of this one.
      this.#sending = this.#sending.then(() => this.#send(command, units)).catch((error) => this.#fail(error));
      await pendingAnswer;
    } finally {
      limit.signal.removeEventListener('abort', onAbort);
      limit.clear();
    }
  }

  /** Ends the connection, after which Knot 3.2 turns to the next one at once. */
  end(): void {
    if (this.#failure !== undefined) return;
    this.#failure = unreachable('the connection was ended');
    this.#socket.end(END);
  }

  /** Closes the connection; commands that are under way are rejected. */
  destroy(): void {
    this.#fail(unreachable('the connection was closed'));
  }

  async #send(command: string, units: KnotUnits): Promise<void> {
    let piece: Buffer[] = [];
    let size = 0;
    for await (const item of units) {
      const octets = encodeUnit({ kind: 'data', item: { ...item, command } });
      piece.push(octets);
      size += octets.length;
      if (size < PIECE_OCTETS) continue;
      await this.#write(Buffer.concat(piece));
      // The system may take every piece at once, without a turn of the event loop between them.
      await setImmediate();
      piece = [];
      size = 0;
    }
    await this.#write(Buffer.concat([...piece, BLOCK]));
  }

  /** Resolves when the octets are with the system, so that a caller cannot write faster than Knot reads. */
  #write(octets: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) return reject(this.#failure);
      this.#socket.write(octets, (error) => (error ? reject(unreachable(error.message)) : resolve()));
    });
  }

  async #receive(): Promise<void> {
    const decoder = new UnitDecoder();
    try {
      // Iteration stops reading while this loop waits, so an answer that is taken slowly stays with Knot.
      for await (const chunk of this.#socket as AsyncIterable<Buffer>) {
        let items: KnotItem[] = [];
        for (const unit of decoded(decoder, chunk)) {
          if ('item' in unit) items.push(unit.item);
          if (unit.kind !== 'block') continue;
          await this.#deliver(items);
          this.#pending.shift()?.resolve();
          items = [];
        }
        await this.#deliver(items);
      }
      this.#fail(unreachable('knotd closed the connection'));
    } catch (error) {
      this.#fail(asFailure(error));
    }
  }

  async #deliver(items: KnotItem[]): Promise<void> {
    if (items.length === 0) return;
    const takeResult = this.#pending[0]?.take(items);
    if (takeResult !== undefined) await takeResult;
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    for (const { reject } of this.#pending.splice(0)) reject(error);
    this.#socket.destroy();
  }
}

function decoded(decoder: UnitDecoder, chunk: Buffer): Unit[] {
  try {
    return decoder.push(chunk);
  } catch (error) {
    throw error instanceof RangeError ? notTheProtocol(error.message) : error;
  }
}

function unreachable(reason: string): KnotError {
  return new KnotError('unreachable', reason, `knotd cannot be reached over its control socket: ${reason}`);
}

function timedOut(command: string, limitMs: number): KnotError {
  const limit = `${Math.round(limitMs / 1000)} s`;
  return new KnotError('timeout', `no answer within ${limit}`, `knotd did not answer ${command} within ${limit}`);
}

function notTheProtocol(reason: string): KnotError {
  return new KnotError('protocol', reason, `knotd's answer is not the control protocol: ${reason}`);
}

/** An error of the socket has a code; anything else was thrown by the taker of an answer, and is the caller's. */
function asFailure(error: unknown): unknown {
  return error instanceof Error && 'syscall' in error ? unreachable(error.message) : error;
}
