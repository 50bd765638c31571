// A hub of the feed with a source and readers in memory, on a clock that the test moves.
import type { LineLevels } from '#base/feed-levels.ts';
import { feedLine } from '#contract/feed.ts';
import { createCommits } from '#service/nodes/commits.ts';
import { createHub, type Hub } from '#service/nodes/hub.ts';
import type { ServedLine } from '#service/nodes/lines.ts';
import { createFeedMetrics } from '#service/nodes/metrics.ts';
import type { Outlet } from '#service/nodes/outlet.ts';
import { limitWork } from '#service/permits.ts';
import { createLogger } from '#telemetry/log.ts';
import { createMetrics } from '#telemetry/metrics.ts';
import { FakeClock } from '../time/fake-clock.ts';
import { createMemorySource } from './memory-source.ts';

/** A connection in memory. With `isReading` false, the written octets stay. */
export class Reader implements Outlet {
  readonly chunks: Buffer[] = [];
  readonly #closed = new AbortController();
  isReading = true;
  ended: 'in order' | 'at once' | null = null;
  #waiting = 0;
  #onDrain: () => void = () => undefined;

  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  get lines(): ServedLine[] {
    const texts = Buffer.concat(this.chunks).toString().split('\n').filter(Boolean);
    return texts.map((line) => feedLine.parse(JSON.parse(line)) as ServedLine);
  }

  /** The kinds of the lines, with the names that they tell, without beats. */
  get said(): string[] {
    return this.lines.filter(({ kind }) => kind !== 'beat').map((line) => describeLine(line));
  }

  write(text: Buffer): void {
    this.chunks.push(text);
    if (!this.isReading) this.#waiting += text.length;
  }

  waiting(): number {
    return this.#waiting;
  }

  drained(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = clock.setTimeout(resolve, ms);
      this.#onDrain = () => {
        cancel();
        resolve();
      };
    });
  }

  end(isReading: boolean): void {
    this.ended = isReading ? 'in order' : 'at once';
    this.leave();
  }

  leave(): void {
    this.#closed.abort();
    this.#onDrain();
  }

  read(): void {
    this.isReading = true;
    this.#waiting = 0;
    this.#onDrain();
  }
}

function describeLine(line: ServedLine): string {
  if (line.kind === 'change') return `change ${line.id}: ${line.names.join(' ')} = ${line.sets.length}`;
  if (line.kind === 'list-end') return `list-end ${line.zones}`;
  if (line.kind === 'begin') return line.resumed ? 'resumed' : 'begin';
  return line.kind === 'beat' ? 'beat' : `${line.kind} ${line.id}`;
}

let clock = new FakeClock();
let hub: Hub | undefined;

/** Lets time pass for the last hub. */
export const advance = (ms: number): Promise<void> => clock.advance(ms);

/** Closes the last hub. To be called after each test. */
export async function closeHub(): Promise<void> {
  const closing = hub?.close();
  await advance(5_000);
  await closing;
}

/**
 * @param keys the valid keys. (Default: `key`.)
 * @param levels those of the kinds of lines. (Default: those of this version.)
 */
export function startHub(keys: ReadonlySet<string> = new Set(['key']), levels?: LineLevels) {
  clock = new FakeClock();
  const source = createMemorySource();
  const commits = createCommits();
  const log: { level: number; msg: string }[] = [];
  const metrics = createMetrics({ processMetrics: false });
  hub = createHub({
    source,
    clock,
    log: createLogger({ name: 'feed', destination: { write: (line) => void log.push(JSON.parse(line)) } }),
    metrics: createFeedMetrics(metrics),
    commits,
    ...(levels === undefined ? {} : { levels }),
    reads: limitWork({ total: 2, share: 2, waiting: 10, waitMs: 60_000, work: 'tests' }),
    validKeys: async (ids) => new Set(ids.filter((id) => keys.has(id))),
  });
  const opened = hub;
  const open = async (
    after: string | null = null,
    node = 'ns1',
    keyId = 'key',
    onConnect: (reader: Reader) => void = () => undefined,
    understands = 1,
  ): Promise<Reader> => {
    const reader = new Reader();
    const opening = opened.open({ after, node, keyId, understands }, () => {
      onConnect(reader);
      return reader;
    });
    opening.catch(() => undefined);
    await advance(20);
    await opening;
    await advance(20);
    return reader;
  };
  const metric = async (name: string) =>
    Number((await metrics.registry.metrics()).match(new RegExp(`^zonestead_${name} (\\S+)$`, 'm'))?.[1]);
  return { source, commits, log, open, metric, close: () => opened.close() };
}

/** The cursor of the last line that has one. */
export function lastCursor({ lines }: Reader): string {
  return lines.flatMap((line) => ('cursor' in line ? line.cursor : [])).at(-1) ?? '';
}
