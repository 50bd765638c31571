// A real Prometheus (Debian's) that scrapes real processes every second under the labels that a cluster would add, and
// answers PromQL.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { allocatePorts } from '../../../deploy/local/parts/ports.ts';
import { startReady } from '../../../deploy/local/parts/process.ts';

export interface Target {
  /** host:port with /metrics. */
  address: string;
  /** As a ServiceMonitor puts them on: namespace, pod, … */
  labels: Record<string, string>;
}

export type Series = Record<string, string>;

export interface Prometheus {
  /** @throws with Prometheus' words when the query does not parse or cannot be evaluated */
  query(expr: string): Promise<{ metric: Series; value: number }[]>;
  /** All series of these matchers that were ever scraped. */
  series(matcher: string): Promise<Series[]>;
  rules(): Promise<Rule[]>;
  /** Which targets answer the scrapes. */
  up(): Promise<Record<string, boolean>>;
  stop(): Promise<void>;
}

export interface Rule {
  name: string;
  type: 'alerting' | 'recording';
  query: string;
  state: 'inactive' | 'pending' | 'firing';
  health: string;
  lastError?: string;
}

export async function startPrometheus(
  command: string,
  stateDir: string,
  targets: readonly Target[],
  ruleFiles: readonly string[],
): Promise<Prometheus> {
  const { signal } = new AbortController();
  const folder = join(stateDir, 'prometheus');
  await mkdir(folder, { recursive: true });
  const { prometheus: port } = await allocatePorts([{ name: 'prometheus' }], { stateDir: folder });
  const config = {
    global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
    rule_files: ruleFiles,
    scrape_configs: [
      {
        job_name: 'zonestead',
        static_configs: targets.map(({ address, labels }) => ({ targets: [address], labels })),
      },
    ],
  };
  // JSON is YAML.
  await writeFile(join(folder, 'prometheus.yml'), JSON.stringify(config));
  const base = `http://127.0.0.1:${port}`;
  const ask = async <T>(path: string, parameters: Record<string, string> = {}): Promise<T> => {
    const answer = await fetch(`${base}/api/v1/${path}?${new URLSearchParams(parameters)}`);
    const body = (await answer.json()) as { status: string; data: T; error?: string };
    if (body.status !== 'success') throw new Error(`${parameters.query ?? path}: ${body.error}`);
    return body.data;
  };
  const stop = () => part.stop();
  const part = await startReady(
    {
      name: 'prometheus',
      command,
      args: [
        `--config.file=${join(folder, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
        '--log.level=warn',
      ],
      cwd: folder,
      logFile: join(folder, 'prometheus.log'),
    },
    async (limit) => (await fetch(`${base}/-/ready`, { signal: limit })).ok,
    {
      what: 'Prometheus to be ready',
      timeoutMs: 60_000,
      intervalMs: 50,
      signal,
    },
  );
  return {
    query: async (query) => {
      const { result } = await ask<{ result: { metric: Series; value: [number, string] }[] }>('query', { query });
      return result.map(({ metric, value }) => ({ metric, value: Number(value[1]) }));
    },
    series: (matcher) => ask('series', { 'match[]': matcher }),
    rules: async () => (await ask<{ groups: { rules: Rule[] }[] }>('rules')).groups.flatMap(({ rules }) => rules),
    up: async () => {
      type Scraped = { labels: Series; health: string };
      const { activeTargets } = await ask<{ activeTargets: Scraped[] }>('targets');
      return Object.fromEntries(activeTargets.map(({ labels, health }) => [labels.pod ?? '', health === 'up']));
    },
    stop,
  };
}
