// The hub of the feed: what each stream is told, in which order, and what happens to slow readers and after failures.
import { afterEach, describe, expect, test } from 'vitest';
import { feedLine } from '#contract/feed.ts';
import { createCommits } from '#service/nodes/commits.ts';
import { createHub, type Hub, MOST_STREAMS } from '#service/nodes/hub.ts';
import type { Line } from '#service/nodes/lines.ts';
import { createFeedMetrics } from '#service/nodes/metrics.ts';
import { FEW_WAITING, MOST_WAITING, type Outlet } from '#service/nodes/outlet.ts';
import { createSlots } from '#service/slots.ts';
import { createLogger } from '#telemetry/log.ts';
import { createMetrics } from '#telemetry/metrics.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { createMemorySource } from '../../../support/memory-source.ts';

/** A connection in memory. `isReading` false: what is written stays. */
class Reader implements Outlet {
  readonly chunks: Buffer[] = [];
  readonly #closed = new AbortController();
  isReading = true;
  ended: 'in order' | 'at once' | null = null;
  #waiting = 0;
  #onDrain: () => void = () => undefined;

  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  get lines(): Line[] {
    const texts = Buffer.concat(this.chunks).toString().split('\n').filter(Boolean);
    return texts.map((line) => feedLine.parse(JSON.parse(line)) as Line);
  }

  /** The kinds of the lines, with the names that they tell, without beats. */
  get said(): string[] {
    return this.lines.filter(({ kind }) => kind !== 'beat').map((line) => tellingOf(line));
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

function tellingOf(line: Line): string {
  if (line.kind === 'change') return `change ${line.id}: ${line.names.join(' ')} = ${line.sets.length}`;
  if (line.kind === 'list-end') return `list-end ${line.zones}`;
  if (line.kind === 'begin') return line.resumed ? 'resumed' : 'begin';
  return line.kind === 'beat' ? 'beat' : `${line.kind} ${line.id}`;
}

let clock = new FakeClock();
let hub: Hub | undefined;
afterEach(async () => {
  const closing = hub?.close();
  await clock.advance(5_000);
  await closing;
});

function start(keys: ReadonlySet<string> = new Set(['key'])) {
  clock = new FakeClock();
  const source = createMemorySource();
  const commits = createCommits();
  const log: { level: number; msg: string }[] = [];
  const metrics = createMetrics({ processMetrics: false });
  hub = createHub({
    source,
    clock,
    log: createLogger({ name: 'feed', destination: { write: (line) => void log.push(JSON.parse(line)) } }),
    metrics: createFeedMetrics(metrics, () => clock.now()),
    commits,
    reads: createSlots({ total: 2, share: 2, waiting: 10, waitMs: 60_000, work: 'tests' }),
    validKeys: async (ids) => new Set(ids.filter((id) => keys.has(id))),
  });
  const opened = hub;
  const open = async (after: string | null = null, node = 'ns1', keyId = 'key'): Promise<Reader> => {
    const reader = new Reader();
    const opening = opened.open({ after, node, keyId }, () => reader);
    opening.catch(() => undefined);
    await clock.advance(20);
    await opening;
    await clock.advance(20);
    return reader;
  };
  const metric = async (name: string) =>
    Number((await metrics.registry.metrics()).match(new RegExp(`^zonestead_${name} (\\S+)$`, 'm'))?.[1]);
  return { source, commits, log, open, metric };
}

/** The cursor of the last line that has one. */
function cursorOf({ lines }: Reader): string {
  return lines.flatMap((line) => ('cursor' in line ? line.cursor : [])).at(-1) ?? '';
}

describe('a stream', () => {
  test('without a cursor begins with the list of all zones', async () => {
    const { source, open } = start();
    for (const zone of ['a', 'b', 'c']) source.change(zone, ['www']);
    source.pageSize = 2;
    const reader = await open();
    expect(reader.said).toEqual(['begin', 'listed a', 'listed b', 'listed c', 'list-end 3']);
    expect(reader.lines[0]).toMatchObject({ epoch: 'memory.1', resumed: false, cursor: 'memory.1:104' });
  });

  test('gets each change once, with the RRsets as they are', async () => {
    const { source, commits, open } = start();
    const reader = await open();
    source.change('a', ['www', 'ftp']);
    commits.announce();
    await clock.advance(15);
    source.change('a', null);
    source.remove('b');
    await clock.advance(1_000);
    expect(reader.said.slice(2)).toEqual(['change a: www ftp = 2', 'gone b', 'reload a']);
  });

  test('resumes with the changes since its cursor, and with no list', async () => {
    const { source, open } = start();
    const first = await open();
    source.change('a', ['one']);
    await clock.advance(100);
    const cursor = cursorOf(first);
    source.change('a', ['two']);
    await clock.advance(100);
    const second = await open(cursor);
    expect(second.said).toEqual(['resumed', 'change a: two = 1']);
    expect(cursorOf(second)).toBe(cursorOf(first));
  });

  test.each(['other.1:100', 'x', ''])('with the cursor "%s" begins with the list', async (after) => {
    const { open } = start();
    expect((await open(after)).said).toEqual(['begin', 'list-end 0']);
  });

  test('is told nothing before its beginning, however long that takes', async () => {
    const { source, open } = start();
    await open();
    source.change('a', ['www']);
    await clock.advance(100);
    const list = source.list;
    const gate = Promise.withResolvers<void>();
    source.list = async function* (signal) {
      await gate.promise;
      yield* list(signal);
    };
    const late = await open(null, 'ns2');
    source.change('a', ['later']);
    await clock.advance(3_000);
    expect(late.lines.map(({ kind }) => kind)).toEqual(['begin']);
    gate.resolve();
    await clock.advance(100);
    expect(late.said).toEqual(['begin', 'listed a', 'list-end 1', 'change a: later = 1']);
  });

  test('gets a beat every second', async () => {
    const { open } = start();
    const reader = await open();
    const before = reader.lines.length;
    await clock.advance(5_000);
    expect(reader.lines.slice(before).map(({ kind }) => kind)).toEqual(Array(5).fill('beat'));
  });
});

describe('the cursor', () => {
  test('of the lines of one look is the one before; the beat after them has the new one', async () => {
    const { source, open } = start();
    const reader = await open();
    const before = cursorOf(reader);
    const count = reader.chunks.length;
    source.change('a', ['www']);
    source.change('b', ['www']);
    await clock.advance(100);
    const lines = Buffer.concat(reader.chunks.slice(count)).toString().trim().split('\n').map((line) => JSON.parse(line));
    expect(lines.map(({ kind, cursor }) => [kind, cursor])).toEqual([
      ['change', before],
      ['change', before],
      ['beat', 'memory.1:103'],
    ]);
  });

  test('stays before a transaction that has not ended, while later changes are told once', async () => {
    const { source, open } = start();
    const reader = await open();
    const commit = source.begin();
    source.change('b', ['www']);
    await clock.advance(500);
    expect(cursorOf(reader)).toBe('memory.1:101');
    commit('a', ['slow']);
    await clock.advance(500);
    expect(reader.said.slice(2)).toEqual(['change b: www = 1', 'change a: slow = 1']);
    expect(cursorOf(reader)).toBe('memory.1:103');
  });

  test('comes at once when a transaction ends that held it back', async () => {
    const { source, open } = start();
    const reader = await open();
    const commit = source.begin();
    source.change('b', ['www']);
    await clock.advance(2_000);
    commit('a', []);
    const before = reader.lines.length;
    await clock.advance(60);
    expect(reader.lines.slice(before).at(-1)).toEqual({ kind: 'beat', cursor: 'memory.1:103' });
  });
});

describe('many streams', () => {
  test('share one look and one rendering', async () => {
    const { source, open } = start();
    const readers = await Promise.all(['a', 'b', 'c', 'd'].map((node) => open(null, node)));
    source.calls.render.length = 0;
    source.change('zone', Array.from({ length: 1_000 }, (_, at) => `n${at}`));
    await clock.advance(200);
    expect(source.calls.render).toEqual([['zone', 1_000]]);
    for (const reader of readers) {
      const changes = reader.lines.filter((line) => line.kind === 'change');
      expect(changes.map(({ names, sets }) => [names.length, sets.length])).toEqual([[1_000, 1_000]]);
    }
  });

  test('are limited, also for one node, whose oldest stream ends', async () => {
    const { open, metric } = start();
    const own = [await open(), await open(), await open()];
    expect(own.map(({ ended }) => ended)).toEqual(['in order', null, null]);
    for (let at = 2; at < MOST_STREAMS; at += 1) await open(null, `node${at}`);
    await expect(open(null, 'more')).rejects.toMatchObject({ code: 'busy' });
    // One that would replace another is no more.
    expect((await open()).ended).toBe(null);
    expect(await metric('feed_streams')).toBe(MOST_STREAMS);
  });

  test('end when their key ends, and others go on', async () => {
    const keys = new Set(['key', 'other']);
    const { open } = start(keys);
    const [revoked, valid] = [await open(), await open(null, 'ns2', 'other')];
    keys.delete('key');
    await clock.advance(5_000);
    expect([revoked.ended, valid.ended]).toEqual(['in order', null]);
  });

  test('end in order when the process exits, and no other begins', async () => {
    const { open } = start();
    const reader = await open();
    const closing = hub?.close();
    expect(reader.ended).toBe('in order');
    await expect(open()).rejects.toMatchObject({ code: 'busy' });
    await clock.advance(10);
    await closing;
  });
});

describe('looks at the database', () => {
  test('happen only while a node follows', async () => {
    const { source, open } = start();
    await clock.advance(5_000);
    expect(source.calls.changesSince).toBe(0);
    const reader = await open();
    await clock.advance(1_000);
    // Every 50 ms in quiet times.
    expect(source.calls.changesSince).toBeGreaterThan(15);
    expect(source.calls.changesSince).toBeLessThan(25);
    reader.leave();
    await clock.advance(100);
    const before = source.calls.changesSince;
    await clock.advance(5_000);
    expect(source.calls.changesSince).toBe(before);
  });

  test('happen at most every 10 ms, however often the process commits', async () => {
    const { source, commits, open } = start();
    await open();
    const before = source.calls.changesSince;
    for (let ms = 0; ms < 1_000; ms += 1) {
      source.change('a', ['www']);
      commits.announce();
      await clock.advance(1);
    }
    const looks = source.calls.changesSince - before;
    expect(looks).toBeGreaterThan(80);
    expect(looks).toBeLessThanOrEqual(101);
  });

  test('are retried after a failure, which is logged once; nothing is lost', async () => {
    const { source, log, open, metric } = start();
    const reader = await open();
    source.failing.changesSince = 5;
    source.change('a', ['www']);
    await clock.advance(10_000);
    expect(reader.said.slice(2)).toEqual(['change a: www = 1']);
    expect(log.map(({ msg }) => msg)).toEqual([
      'the feed failed to look for changes; retrying',
      'the feed finds changes again',
    ]);
    expect(await metric('feed_polls_total{result="failed"}')).toBe(5);
  });

  test('that fail before the first one refuse the stream', async () => {
    const { source, open } = start();
    source.failing.position = 1;
    await expect(open()).rejects.toThrow('position fails');
    await clock.advance(200);
    expect((await open()).said).toEqual(['begin', 'list-end 0']);
  });

  test('that cannot be continued end all streams', async () => {
    const { source, open } = start();
    const reader = await open();
    source.moved = true;
    await clock.advance(100);
    expect(reader.ended).toBe('in order');
    expect((await open(cursorOf(reader))).said).toEqual(['resumed']);
  });
});

describe('a zone that cannot be rendered', () => {
  test('holds back the cursor, but no other zone', async () => {
    const { source, log, open } = start();
    const reader = await open();
    const before = cursorOf(reader);
    Object.assign(source.failing, { render: 5, renderOf: 'bad' });
    source.change('bad', ['www']);
    await clock.advance(200);
    source.change('good', ['www']);
    await clock.advance(200);
    expect(reader.said.slice(2)).toEqual(['change good: www = 1']);
    expect(cursorOf(reader)).toBe(before);
    await clock.advance(20_000);
    expect(reader.said.slice(2)).toEqual(['change good: www = 1', 'change bad: www = 1']);
    expect(cursorOf(reader)).not.toBe(before);
    expect(log).toHaveLength(1);
  });

  test('is told later to a stream that resumes, too', async () => {
    const { source, open } = start();
    const cursor = cursorOf(await open());
    source.change('bad', ['www']);
    source.change('good', ['www']);
    await clock.advance(200);
    Object.assign(source.failing, { render: 2, renderOf: 'bad' });
    const second = await open(cursor);
    expect(second.said).toEqual(['resumed', 'change good: www = 1']);
    await clock.advance(5_000);
    expect(second.said.slice(2)).toEqual(['change bad: www = 1']);
  });
});

describe('a slow reader', () => {
  const LONG = Array.from({ length: 1_000 }, (_, at) => `${'x'.repeat(60)}${at}`);

  async function slow() {
    const all = start();
    const reader = await all.open();
    const other = await all.open(null, 'other');
    reader.isReading = false;
    for (let at = 0; at < 8; at += 1) {
      all.source.change('zone', LONG, `192.0.2.${at}`);
      await clock.advance(100);
    }
    return { ...all, reader, other };
  }

  test('gets the union of the changes that it missed, and others wait for nothing', async () => {
    const { source, reader, other } = await slow();
    expect(reader.waiting()).toBeGreaterThan(FEW_WAITING);
    expect(reader.waiting()).toBeLessThan(MOST_WAITING + 300_000);
    const told = reader.lines.length;
    expect(other.said.length).toBeGreaterThan(reader.said.length);
    source.change('zone', ['last']);
    source.change('second', ['www']);
    await clock.advance(100);
    reader.read();
    await clock.advance(200);
    const missed = reader.lines.slice(told).filter((line) => line.kind === 'change');
    expect(missed.map(({ id, names }) => [id, names.length])).toEqual([
      ['zone', 1_000],
      ['zone', 1],
      ['second', 1],
    ]);
    expect(cursorOf(reader)).toBe(cursorOf(other));
  });

  test('is told to reload a zone with many missed changes', async () => {
    const { source, reader } = await slow();
    for (let at = 0; at < 10; at += 1) {
      source.change('zone', LONG.map((name) => `${at}.${name}`));
      await clock.advance(20);
    }
    const told = reader.said.length;
    reader.read();
    await clock.advance(200);
    expect(reader.said.slice(told)).toEqual(['reload zone']);
  });

  test('is ended when it takes nothing for 15 s', async () => {
    const { reader, other } = await slow();
    await clock.advance(20_000);
    expect([reader.ended, other.ended]).toEqual(['at once', null]);
  });

  test('is ended when too many zones wait for it', async () => {
    const { source, reader, other } = await slow();
    for (let at = 0; at < 20_500; at += 1) source.change(`z${at}`, null);
    await clock.advance(4_000);
    expect([reader.ended, other.ended]).toEqual(['at once', null]);
  });
});

test('changed settings of the service make every stream reload every zone, in pages', async () => {
  const { source, open } = start();
  for (const zone of ['a', 'b', 'c']) source.change(zone, ['www']);
  source.pageSize = 1;
  const reader = await open();
  const cursor = cursorOf(reader);
  source.changeAll();
  source.change('a', ['www']);
  source.remove('b');
  await clock.advance(200);
  expect(reader.said.slice(5).sort()).toEqual(['gone b', 'reload a', 'reload c']);
  expect(cursorOf(reader)).toBe('memory.1:107');
  expect((await open(cursor, 'ns2')).said).toEqual(['resumed', 'gone b', 'reload a', 'reload c']);
});
