// Each function adds one property to the operations of a name server:
//
//     limitEngine      each operation has a time limit, and zones are added in batches
//     tellSlowness     a knotd that is busy is told from one that is down
//     withSerialSlot   each change gets a serial of the node's slot, for zone transfers
import type { Clock } from '#base/clock.ts';
import { deadline } from '#base/deadline.ts';
import { orAborted } from '#base/wait.ts';
import { type AddedZone, type OnSignature, type ZoneChange, type ZoneEngine, ZoneLoading } from '../engine.ts';
import { KnotError } from '../knot/errors.ts';
import { SlowEngine } from './faults.ts';

interface Adding {
  readonly zone: AddedZone;
  done(error?: unknown): void;
}

/**
 * A commit of 100,000 RRsets with their first signatures takes about 30 s, and other commands of Knot 3.2 wait for it.
 */
const COMMIT_MS = 900_000;
const PAGE_MS = 180_000;
const SHORT_MS = 180_000;
const MAX_BATCH = 256;

type Within = <T>(ms: number, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>) => Promise<T>;

/**
 * One configuration transaction of the name server costs about the same for one zone as for many, so zones that are
 * added at the same time share one.
 * @param onEnd called after each operation with its success
 */
export function limitEngine(engine: ZoneEngine, clock: Clock, onEnd: (ok: boolean) => void): ZoneEngine {
  const within: Within = async (ms, signal, work) => {
    const limit = deadline(clock, ms, signal);
    try {
      const result = await orAborted(work(limit.signal), limit.signal);
      onEnd(true);
      return result;
    } catch (error) {
      if (!signal.aborted) onEnd(error instanceof ZoneLoading);
      if (limit.expired()) throw new SlowEngine(ms / 1000);
      throw error;
    } finally {
      limit.clear();
    }
  };
  const additions = new Additions((zones, signal) => within(SHORT_MS, signal, (limit) => engine.add(zones, limit)));
  return {
    version: () => engine.version(),
    zones: (signal) => within(SHORT_MS, signal, (limit) => engine.zones(limit)),
    add: (zones, signal) => additions.add(zones, signal),
    finishKeys: (name, keys, signal) => within(SHORT_MS, signal, (limit) => engine.finishKeys(name, keys, limit)),
    remove: (names, signal) => within(SHORT_MS, signal, (limit) => engine.remove(names, limit)),
    deny: (name, denial, signal) => within(COMMIT_MS, signal, (limit) => engine.deny(name, denial, limit)),
    privateKeys: (name, signal) => within(SHORT_MS, signal, (limit) => engine.privateKeys(name, limit)),
    check: (name, signal) => within(SHORT_MS, signal, (limit) => engine.check(name, limit)),
    read: (name, signal, onSignature) => readWithin(within, engine, { name, onSignature }, signal),
    change: (name, change, signal) => within(COMMIT_MS, signal, (limit) => engine.change(name, change, limit)),
  };
}

/** The limit is for one page. */
async function* readWithin(
  within: Within,
  engine: ZoneEngine,
  { name, onSignature }: { name: string; onSignature: OnSignature | undefined },
  signal: AbortSignal,
) {
  const end = new AbortController();
  const stop = () => end.abort(signal.reason);
  if (signal.aborted) throw signal.reason;
  signal.addEventListener('abort', stop, { once: true });
  const pages = engine.read(name, end.signal, onSignature)[Symbol.asyncIterator]();
  try {
    for (;;) {
      const page = await within(PAGE_MS, end.signal, () => pages.next());
      if (page.done) return;
      yield page.value;
    }
  } finally {
    signal.removeEventListener('abort', stop);
    end.abort(new DOMException('The reader has ended', 'AbortError'));
    void pages.return?.().catch(() => undefined);
  }
}

/** Adds zones in batches, one after another. */
class Additions {
  readonly #addAll: (zones: readonly AddedZone[], signal: AbortSignal) => Promise<void>;
  readonly #waiting: Adding[] = [];
  #isAdding = false;

  constructor(addAll: (zones: readonly AddedZone[], signal: AbortSignal) => Promise<void>) {
    this.#addAll = addAll;
  }

  async add(zones: readonly AddedZone[], signal: AbortSignal): Promise<void> {
    const additions = zones.map(
      (zone) =>
        new Promise<void>((resolve, reject) => {
          this.#waiting.push({ zone, done: (error) => (error === undefined ? resolve() : reject(error)) });
        }),
    );
    if (!this.#isAdding) void this.#work(signal);
    await Promise.all(additions);
  }

  async #work(signal: AbortSignal): Promise<void> {
    this.#isAdding = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, MAX_BATCH);
      try {
        await this.#addBatch(batch, signal);
        for (const { done } of batch) done();
      } catch (error) {
        await this.#addEach(batch, error, signal);
      }
    }
    this.#isAdding = false;
  }

  /** One zone of the batch may be at fault: each is tried alone. */
  async #addEach(batch: readonly Adding[], error: unknown, signal: AbortSignal): Promise<void> {
    for (const one of batch) {
      if (batch.length === 1 || signal.aborted) one.done(error);
      else
        await this.#addBatch([one], signal).then(
          () => one.done(),
          (ownError: unknown) => one.done(ownError),
        );
    }
  }

  #addBatch(batch: readonly Adding[], signal: AbortSignal): Promise<void> {
    return this.#addAll(
      batch.map(({ zone }) => zone),
      signal,
    );
  }
}

/**
 * Knot 3.2 takes no further command while it signs a zone, however long that takes.
 * @param connectMs the time within which a connection had to be accepted
 * @returns an engine whose list of zones fails with SlowEngine then
 */
export function tellSlowness(engine: ZoneEngine, connectMs: number): ZoneEngine {
  const zones: ZoneEngine['zones'] = (signal) =>
    engine.zones(signal).catch((error: unknown) => {
      const isFull = error instanceof KnotError && error.failure === 'unreachable' && error.reason.includes('EAGAIN');
      const isLate = error instanceof KnotError && error.failure === 'timeout';
      throw isFull || isLate ? new SlowEngine(connectMs / 1000) : error;
    });
  return { ...bindOperations(engine), zones };
}

/** @param currentSlot the slot of the node at a change; undefined while the node takes no part in zone transfers */
export function withSerialSlot(engine: ZoneEngine, currentSlot: () => ZoneChange['slot']): ZoneEngine {
  const change: ZoneEngine['change'] = (zone, wantedChange, signal) => {
    const slot = currentSlot();
    return engine.change(zone, slot === undefined ? wantedChange : { ...wantedChange, slot }, signal);
  };
  return { ...bindOperations(engine), change };
}

/** The operations of an engine that may be an object of a class. */
function bindOperations(engine: ZoneEngine): ZoneEngine {
  return {
    version: (signal) => engine.version(signal),
    zones: (signal) => engine.zones(signal),
    add: (zones, signal) => engine.add(zones, signal),
    finishKeys: (name, keys, signal) => engine.finishKeys(name, keys, signal),
    remove: (names, signal) => engine.remove(names, signal),
    deny: (name, denial, signal) => engine.deny(name, denial, signal),
    privateKeys: (name, signal) => engine.privateKeys(name, signal),
    check: (name, signal) => engine.check(name, signal),
    read: (name, signal, onSignature) => engine.read(name, signal, onSignature),
    change: (name, change, signal) => engine.change(name, change, signal),
  };
}
