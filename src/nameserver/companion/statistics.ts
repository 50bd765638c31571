// The counters of PowerDNS as metrics of the companion, read over the control socket at each scrape. PowerDNS needs no web
// server for them, and one scrape covers the whole pod.
//
//   zonestead_dns_up                              1 if PowerDNS answered this scrape
//   zonestead_dns_queries_total{transport}        questions received
//   zonestead_dns_answers_total{transport}        answers sent
//   zonestead_dns_failures_total{kind}            servfail (answers), backend (database errors), timeout, corrupt, overload
//   zonestead_dns_packet_cache_total{result}      hit, miss
//   zonestead_dns_signatures_total                signatures made
//   zonestead_dns_latency_seconds                 PowerDNS' own running average
//   zonestead_dns_backend_queue                   questions that wait for the database
import { Counter, Gauge } from 'prom-client';
import { METRICS_PREFIX, type Metrics } from '#telemetry/metrics.ts';
import { commandPowerDns } from './control.ts';

type Sample = readonly [labels: Readonly<Record<string, string>>, variable: string];

interface Family {
  readonly name: string;
  readonly help: string;
  readonly samples: readonly Sample[];
}

const TIMEOUT_MS = 1_000;

/** With PowerDNS' names ("Performance and tuning", the same from 4.7 to 5.0). */
const COUNTERS: readonly Family[] = [
  {
    name: 'dns_queries_total',
    help: 'Questions that PowerDNS received.',
    samples: [
      [{ transport: 'udp' }, 'udp-queries'],
      [{ transport: 'tcp' }, 'tcp-queries'],
    ],
  },
  {
    name: 'dns_answers_total',
    help: 'Answers that PowerDNS sent.',
    samples: [
      [{ transport: 'udp' }, 'udp-answers'],
      [{ transport: 'tcp' }, 'tcp-answers'],
    ],
  },
  {
    name: 'dns_failures_total',
    help: 'Failures of PowerDNS, by kind: answers SERVFAIL, failed database queries, timeouts, packets that it could not read, and questions that it dropped under overload.',
    samples: [
      [{ kind: 'servfail' }, 'servfail-packets'],
      [{ kind: 'backend' }, 'backend-queries-failed'],
      [{ kind: 'timeout' }, 'timedout-packets'],
      [{ kind: 'corrupt' }, 'corrupt-packets'],
      [{ kind: 'overload' }, 'overload-drops'],
    ],
  },
  {
    name: 'dns_packet_cache_total',
    help: 'Questions that the packet cache of PowerDNS could answer (hit), and those that it could not (miss).',
    samples: [
      [{ result: 'hit' }, 'packetcache-hit'],
      [{ result: 'miss' }, 'packetcache-miss'],
    ],
  },
  { name: 'dns_signatures_total', help: 'DNSSEC signatures that PowerDNS made.', samples: [[{}, 'signatures']] },
];

/** Registers the metrics. @param socket path of PowerDNS' control socket */
export function watchPowerDns({ registry }: Metrics, socket: string): void {
  let reading: Promise<Variables | null> | null = null;
  // A scrape collects all families in parallel: the first one sends the command, and the others wait for the same answer.
  const read = (): Promise<Variables | null> => {
    reading ??= commandPowerDns(socket, 'SHOW *', TIMEOUT_MS)
      .then(readVariables, () => null)
      .finally(() => {
        reading = null;
      });
    return reading;
  };
  const common = (name: string, help: string, labelNames: string[] = []) => ({
    name: `${METRICS_PREFIX}${name}`,
    help,
    labelNames,
    registers: [registry],
  });
  for (const { name, help, samples } of COUNTERS) {
    new Counter({
      ...common(name, help, Object.keys(samples[0]?.[0] ?? {})),
      async collect() {
        const variables = await read();
        if (variables === null) return;
        this.reset();
        for (const [labels, variable] of samples) this.inc({ ...labels }, variables.get(variable) ?? 0);
      },
    });
  }
  const gauge = (name: string, help: string, value: (variables: Variables | null) => number | undefined) =>
    new Gauge({
      ...common(name, help),
      async collect() {
        const now = value(await read());
        if (now !== undefined) this.set(now);
      },
    });
  gauge('dns_up', '1 if PowerDNS answered this scrape over its control socket, 0 if not.', (variables) =>
    variables ? 1 : 0,
  );
  const latency = (variables: Variables | null) => variables && (variables.get('latency') ?? 0) / 1_000_000;
  gauge(
    'dns_latency_seconds',
    'Seconds from a question to its answer: the running average of PowerDNS.',
    (all) => latency(all) ?? undefined,
  );
  gauge('dns_backend_queue', 'Questions that wait for a database thread of PowerDNS.', (all) => all?.get('qsize-q'));
}

type Variables = ReadonlyMap<string, number>;

/** `name=number,name=number,…`. Pure. */
export function readVariables(text: string): Variables {
  const variables = new Map<string, number>();
  for (const pair of text.trim().split(',')) {
    const [name = '', value = ''] = pair.split('=');
    if (name !== '' && value !== '' && Number.isFinite(Number(value))) variables.set(name, Number(value));
  }
  return variables;
}
