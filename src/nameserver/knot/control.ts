// Commands for one knotd through its control socket.
//
// A connection lives as long as one piece of work. Knot 3.2 serves its connections one after another, so an idle one
// would make all others wait, `knotc` too. Knot 3.4 serves eight at once, and has two traps then:
//
// - It refuses to begin a transaction of the configuration while one of any zone is open, and the reverse.
// - A command that waits too long for another one (see `control.timeout` in configuration.ts) is not executed, and its
//   answer is empty, as if it was.
//
// So sessions that change the configuration, or that purge zones, run alone.
import { type Clock, realClock } from '#base/clock.ts';
import { deadline } from '#base/deadline.ts';
import { Limit } from '#base/limit.ts';
import { SharedLock } from '#base/shared-lock.ts';
import { sleep } from '#base/wait.ts';
import { type KnotArguments, KnotConnection, type KnotUnits } from './connection.ts';
import { KnotError } from './errors.ts';
import type { KnotItem } from './protocol.ts';

export type { KnotArguments, KnotUnits } from './connection.ts';
export type { KnotItem } from './protocol.ts';

/** @throws KnotError with Knot's text; for several refused units with the first one's */
export type RunCommand = (command: string, args?: KnotArguments, signal?: AbortSignal) => Promise<KnotItem[]>;

export interface KnotSession {
  /** One command with its answer. Commands that are sent without waiting are executed in the order of the calls. */
  run: RunCommand;
  /**
   * One command with any number of units: they are sent as fast as Knot reads them, and `take` gets the answer in
   * pieces. Knot also executes the units after one that it refuses; the first refusal is thrown at the end.
   */
  stream(
    command: string,
    units: KnotUnits,
    take: (items: KnotItem[]) => void | Promise<void>,
    signal?: AbortSignal,
  ): Promise<void>;
}

export interface KnotControl {
  /** One command with its answer, on a connection of its own. @throws as Run */
  run: RunCommand;
  /**
   * Several commands on one connection. With Knot 3.2 all other commands wait until the work has ended, so it must wait
   * for nothing else, least of all for another session. No command of ALONE may be in it.
   */
  session<T>(work: (session: KnotSession) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** A session that runs alone, with any commands. */
  sessionAlone<T>(work: (session: KnotSession) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Closes all connections; commands that are under way fail. */
  close(): void;
}

export interface KnotControlOptions {
  /** The path of the control socket. */
  socket: string;
  /** Connections at once. Knot 3.2 serves one and lets five wait. (Default: 4.) */
  connections?: number;
  /**
   * How long the wait for a connection may be: for a socket that is not there yet, and for Knot to accept. (Default: 30
   * s.)
   */
  connectMs?: number;
  /** The part of it for which no process may listen at the socket. (Default: all of it.) */
  absentMs?: number;
  /** The limit of one command. (Default: 120 s.) */
  commandMs?: number;
  /** The limit of a commit, in which Knot signs what is new: 100,000 records take half a minute. (Default: 600 s.) */
  commitMs?: number;
  /** (Default: the system's.) */
  clock?: Clock;
}

/** The text of the longest answer that `run` collects: the status of 100,000 zones is a third of it. */
const MAX_ANSWER = 128 * 1024 * 1024;
const FIRST_RETRY_MS = 2;
const LAST_RETRY_MS = 100;
/** Commands for which Knot 3.4 waits until no other one runs. */
const ALONE = /^(conf-(begin|set|unset|get|diff|commit|abort)|zone-(purge|backup|restore)|reload)$/;
/** The socket is not there yet, belongs to a knotd that has ended, or has no place in its queue. */
const TRANSIENT = ['ENOENT', 'ECONNREFUSED', 'EAGAIN', 'ECONNRESET', 'EPIPE'];
/** No process listens. */
const ABSENT = ['ENOENT', 'ECONNREFUSED'];

export function knotControl(options: KnotControlOptions): KnotControl {
  const {
    socket,
    connections = 4,
    connectMs = 30_000,
    absentMs = connectMs,
    commandMs = 120_000,
    commitMs = 600_000,
  } = options;
  const clock = options.clock ?? realClock;
  const permits = new Limit({ permits: connections });
  const lock = new SharedLock();
  const sessions = new Set<AbortController>();

  const sessionOn = (connection: KnotConnection, outer: AbortSignal | undefined): KnotSession => {
    const stream: KnotSession['stream'] = async (command, units, take, signal = outer) => {
      let refusedItem: KnotItem | undefined;
      const limitMs = command.endsWith('-commit') ? commitMs : commandMs;
      const split = (items: KnotItem[]) => {
        refusedItem ??= items.find(({ error }) => error !== undefined);
        return take(items.filter(({ error }) => error === undefined));
      };
      await connection.command(command, units, { take: split, limitMs, signal });
      if (refusedItem !== undefined) throw refusal(command, refusedItem);
    };
    return {
      stream,
      run: async (command, args = {}, signal = outer) => {
        const answer: KnotItem[] = [];
        let size = 0;
        const take = (items: KnotItem[]) => {
          for (const item of items) size += countCharacters(item);
          if (size > MAX_ANSWER) throw tooLong(command);
          for (const item of items) answer.push(item);
        };
        await stream(command, [args], take, signal);
        return answer;
      },
    };
  };

  const runSession = async <T>(
    isAlone: boolean,
    work: (session: KnotSession) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> => {
    const sessionAbort = new AbortController();
    const onAbort = () => sessionAbort.abort(signal?.reason);
    if (signal?.aborted) onAbort();
    signal?.addEventListener('abort', onAbort, { once: true });
    sessions.add(sessionAbort);
    let unlock: (() => void) | undefined;
    let release: (() => void) | undefined;
    let connection: KnotConnection | undefined;
    try {
      unlock = await (isAlone ? lock.takeAlone(sessionAbort.signal) : lock.share(sessionAbort.signal));
      release = await permits.take('', sessionAbort.signal);
      connection = await connectInTime(sessionAbort.signal);
      const result = await work(sessionOn(connection, sessionAbort.signal));
      connection.end();
      return result;
    } catch (error) {
      connection?.destroy();
      throw error;
    } finally {
      release?.();
      unlock?.();
      sessions.delete(sessionAbort);
      signal?.removeEventListener('abort', onAbort);
    }
  };

  /** Retries while knotd starts, or has no place in its queue. */
  const connectInTime = async (signal: AbortSignal): Promise<KnotConnection> => {
    const limit = deadline(clock, connectMs, signal);
    let last = '';
    let absentSince: number | null = null;
    try {
      for (let pause = FIRST_RETRY_MS; ; pause = Math.min(2 * pause, LAST_RETRY_MS)) {
        try {
          return await KnotConnection.open(socket, clock, limit.signal);
        } catch (error) {
          const { code = '', message } = error as NodeJS.ErrnoException;
          if (!limit.signal.aborted && !TRANSIENT.includes(code)) throw notConnected(socket, message);
          if (!limit.signal.aborted) last = message;
          absentSince = ABSENT.includes(code) ? (absentSince ?? clock.now()) : null;
          if (absentSince !== null && clock.now() - absentSince >= absentMs) throw notConnected(socket, message);
        }
        await sleep(clock, pause, limit.signal);
      }
    } catch (error) {
      if (limit.expired()) throw notConnected(socket, last || 'no answer');
      throw error;
    } finally {
      limit.clear();
    }
  };

  return {
    session: (work, signal) => runSession(false, work, signal),
    sessionAlone: (work, signal) => runSession(true, work, signal),
    run: (command, args, signal) => runSession(ALONE.test(command), ({ run }) => run(command, args), signal),
    close: () => {
      const reason = new KnotError('unreachable', 'closed', 'the control connection to knotd was closed');
      for (const sessionAbort of sessions) sessionAbort.abort(reason);
    },
  };
}

function refusal(command: string, { error = '', zone, owner, type, section, item, id, data }: KnotItem): KnotError {
  const place = [zone, owner, type].filter((text) => text !== undefined).join(' ');
  const setting = section === undefined ? '' : `${section}${id ? `[${id}]` : ''}${item ? `.${item}` : ''}`;
  const value = section === undefined || data === undefined ? '' : ` = ${data.slice(0, 100)}`;
  const what = [place, `${setting}${value}`].filter((text) => text !== '').join(', ');
  return new KnotError('refused', error, `Knot refused ${command}${what === '' ? '' : ` of ${what}`}: ${error}`);
}

function notConnected(socket: string, reason: string): KnotError {
  return new KnotError(
    'unreachable',
    reason,
    `no connection to knotd's control socket ${socket}: ${reason}. Is knotd running, and may this user write to the socket?`,
  );
}

function tooLong(command: string): KnotError {
  const most = `${MAX_ANSWER / 1024 / 1024} MiB`;
  return new KnotError('protocol', `more than ${most}`, `Knot's answer to ${command} is longer than ${most}`);
}

function countCharacters(item: KnotItem): number {
  return Object.values(item).reduce((sum, text) => sum + text.length, 0);
}
