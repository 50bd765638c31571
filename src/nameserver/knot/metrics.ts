// knotd's counters as metrics of the node. A scrape begins to read them, at most every two seconds, and waits only a
// moment: while knotd signs a large zone, its control socket serves no client for up to half a minute, and the last
// values stay.
import { Counter, Gauge } from 'prom-client';
import { type Clock, realClock } from '#base/clock.ts';
import { endsWithin } from '#base/wait.ts';
import { METRICS_PREFIX, type Metrics } from '#telemetry/metrics.ts';
import { knotControl } from './control.ts';
import { KnotError } from './errors.ts';
import type { KnotFolder } from './folder.ts';
import { knotMemory } from './memory.ts';
import type { KnotItem } from './protocol.ts';
import { type Disk, measureDisk } from './room.ts';
import { COUNTERS, collectSamples, zoneCount } from './statistics.ts';

const EVERY_MS = 2_000;
/** A scrape waits no longer. */
const SCRAPE_MS = 250;
/** A socket that no process listens on. */
const CONNECT_MS = 1_000;
/** As long as the longest commit may take. */
const COMMAND_MS = 600_000;

interface Statistics {
  items: readonly KnotItem[] | null;
  /** Whether knotd answers, or is busy with a commit. */
  isUp: boolean;
  ageSeconds: number;
}

interface StatisticsReader {
  /** The last values; newer ones if they arrive within a moment. */
  latest(): Promise<Statistics>;
  close(): void;
}

/** @param read the command `stats`; rejects with a KnotError */
export function createStatisticsReader(read: () => Promise<KnotItem[]>, clock: Clock): Omit<StatisticsReader, 'close'> {
  let items: KnotItem[] | null = null;
  let wasAnswered = false;
  let reading: Promise<void> | null = null;
  let begunAt = Number.NEGATIVE_INFINITY;
  let readAt = clock.now();

  const begin = async (): Promise<void> => {
    try {
      items = await read();
      readAt = clock.now();
      wasAnswered = true;
    } catch (error) {
      // A full queue of the socket says that knotd is busy.
      if (!(error instanceof KnotError && error.reason.includes('EAGAIN'))) wasAnswered = false;
    }
  };

  return {
    latest: async () => {
      if (reading === null && clock.now() - begunAt >= EVERY_MS) {
        begunAt = clock.now();
        reading = begin().finally(() => {
          reading = null;
        });
      }
      if (reading !== null) await endsWithin(clock, SCRAPE_MS, reading);
      const now = clock.now();
      // The connection exists: knotd has not closed the socket, and takes its time.
      const isBusy = reading !== null && now - begunAt > 2 * CONNECT_MS;
      return { items, isUp: wasAnswered || isBusy, ageSeconds: (now - readAt) / 1_000 };
    },
  };
}

/** Registers the metrics. Nothing is read before the first scrape. */
export function watchKnot({ registry }: Metrics, folder: KnotFolder, clock = realClock): StatisticsReader {
  // One more connection in knotd's queue of five, in addition to the four of the node.
  const control = knotControl({
    socket: folder.socket,
    connections: 1,
    connectMs: CONNECT_MS,
    commandMs: COMMAND_MS,
    clock,
  });
  const { latest } = createStatisticsReader(() => control.run('stats'), clock);
  const common = (name: string, help: string, labelNames: string[] = []) => ({
    name: `${METRICS_PREFIX}${name}`,
    help,
    labelNames,
    registers: [registry],
  });
  for (const family of COUNTERS) {
    new Counter({
      ...common(family.name, family.help, Object.keys(family.zeros[0] ?? {})),
      async collect() {
        const { items } = await latest();
        this.reset();
        for (const { labels, value } of collectSamples(family, items ?? [])) this.inc({ ...labels }, value);
      },
    });
  }
  const gauge = (
    name: string,
    help: string,
    read: (statistics: Statistics) => number | null | Promise<number | null>,
  ) =>
    new Gauge({
      ...common(name, help),
      async collect() {
        const value = await read(await latest());
        if (value === null) this.remove();
        else this.set(value);
      },
    });
  gauge(
    'dns_up',
    'Whether the name server (knotd) answers over its control socket, or is busy with a commit (1), or not (0).',
    ({ isUp }) => Number(isUp),
  );
  gauge(
    'dns_statistics_age_seconds',
    'Seconds since knotd gave its counters. It gives none while it signs a large zone; the last values stay then.',
    ({ ageSeconds }) => ageSeconds,
  );
  gauge('dns_zones', 'Zones in the configuration of knotd, with catalogs.', ({ items }) => zoneCount(items ?? []) ?? 0);
  gauge(
    'dns_memory_bytes',
    'Resident memory of knotd. Absent in a pod, where the process of another container is not visible.',
    () => knotMemory(folder),
  );
  const disk = (name: string, help: string, read: (disk: Disk) => number) =>
    gauge(name, help, () => measureDisk(folder.storage).then(read, () => null));
  disk('node_volume_bytes', 'Size of the volume with the zones of the node.', ({ size }) => size);
  disk(
    'node_volume_free_bytes',
    'Free space of the volume with the zones of the node. Near the end, the node makes no more changes.',
    ({ free }) => free,
  );
  return { latest, close: () => control.close() };
}
