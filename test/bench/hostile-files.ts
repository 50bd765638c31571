// Files, lists and histories made to exhaust the api, four at once, against a process with the memory of the chart:
// `node test/bench/hostile-files.ts [part of an attack's name] [MB of heap]`. Prints how the attacks were answered, how
// long the requests of another team took meanwhile, and the memory of the process. Limits are off: only the bounds of
// the work itself hold.
import { readFile } from 'node:fs/promises';
import postgres from 'postgres';
import { request } from 'undici';
import { startCommand } from '../../deploy/local/parts/command.ts';
import { allocatePorts } from '../../deploy/local/parts/ports.ts';
import { delay } from '../../deploy/local/parts/wait.ts';
import { fillWithLargeRecords, HOSTILE_FILES, PLAIN_FILE } from '../support/service/hostile-files.ts';
import { startProber } from '../support/service/prober.ts';
import { caller, createAgent, insist } from './calls.ts';
import { figure, quantile, tableLines } from './statistics.ts';
import { type Bench, print, runBench, startBenchService } from './support.ts';

const LIMIT_MS = 15 * 60_000;
const AT_ONCE = 4;
const LARGE_RECORDS = 300;
/** As in the chart: 45 % of 512 MiB are heap. */
const MEMORY = `--max-semi-space-size=4 --max-old-space-size=${process.argv[3] ?? 230}`;
const WANTED = process.argv[2] ?? '';
const ROOM_MS = 3 * 60_000;

async function run(bench: Bench): Promise<void> {
  const service = await startBenchService(bench);
  const ports = await allocatePorts([{ name: 'small' }, { name: 'health' }], { stateDir: bench.stateDir });
  const url = `http://127.0.0.1:${ports.small}`;
  const env = {
    DATABASE_URL: service.databaseUrl,
    ZONESTEAD_LISTEN: `127.0.0.1:${ports.small}`,
    ZONESTEAD_NAMESERVERS: 'ns1.zonestead.test',
    ZONESTEAD_RESOLVER: '127.0.0.1:1',
    ZONESTEAD_LIMITS: 'off',
    NODE_OPTIONS: MEMORY,
  };
  const api = await startCommand({ name: 'api', env, healthPort: ports.health as number, ...bench });
  bench.atEnd(() => api.stop());
  const sql = postgres(service.databaseUrl, { max: 1, onnotice: () => undefined });
  bench.atEnd(() => sql.end());
  const agent = createAgent(bench);
  const { first, second } = service.keys;
  const headers = { authorization: `Bearer ${first.key}`, 'content-type': 'application/json' };
  const call = caller(agent, url, headers);
  const createZone = async (zoneName: string) =>
    JSON.parse(await insist(call('POST', '/v1/dns/zones', { zoneName, owner: `org:${first.team}` }))).id as string;
  const zones = await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => createZone(`hostile${i}.example`)));
  const large = await createZone('large.example');
  await fillWithLargeRecords(sql, large, LARGE_RECORDS);

  const ask = (method: 'GET' | 'PUT', path: string, body?: string) => async () => {
    const answer = await request(`${url}/v1/dns${path}`, {
      method,
      headers: { ...headers, 'content-type': 'text/dns' },
      dispatcher: agent,
      body: body ?? null,
      headersTimeout: ROOM_MS,
      bodyTimeout: ROOM_MS,
    });
    let octets = 0;
    for await (const chunk of answer.body) octets += (chunk as Buffer).length;
    return `${answer.statusCode}${octets > 2 ** 20 ? ` ${Math.round(octets / 2 ** 20)} MiB` : ''}`;
  };
  const put = (file: () => string) => {
    const text = file();
    return zones.map((id) => ask('PUT', `/zones/${id}/zonefile`, text));
  };
  const same = (path: string) => Array.from({ length: AT_ONCE }, () => ask('GET', path));
  const attacks: Record<string, () => (() => Promise<string>)[]> = {
    ...Object.fromEntries(Object.entries(HOSTILE_FILES).map(([name, file]) => [name, () => put(file)])),
    'import of 100,000 records (one)': () => put(PLAIN_FILE).slice(0, 1),
    'the same again, unchanged (one)': () => put(PLAIN_FILE).slice(0, 1),
    'import of 100,000 records': () => put(PLAIN_FILE),
    'list of 300 large records': () => same(`/zones/${large}/records`),
    'zone file of 300 large records': () => same(`/zones/${large}/zonefile`),
    'history of 300 large records': () => same(`/zones/${large}/changes?limit=1000`),
    'page of 300 large records': () => same(`/zones/${large}/records?limit=1000`),
    'lists and imports together': () => [
      ...put(PLAIN_FILE),
      ...same(`/zones/${large}/records`),
      ...same(`/zones/${large}/zonefile`),
    ],
  };
  const rows = [['attack', 'answers', 'seconds', 'cpu s', 'others p50 ms', 'p95', 'max', 'n', 'RSS MB']];
  for (const [name, make] of Object.entries(attacks)) {
    if (!name.includes(WANTED)) continue;
    const requests = make();
    const prober = startProber({ url, key: second.key, pid: api.pid });
    const cpu = await processorSeconds(api.pid);
    const since = performance.now();
    const answers = await Promise.all(requests.map((each) => each().catch((error: Error) => error.message)));
    const seconds = (performance.now() - since) / 1_000;
    const spent = (await processorSeconds(api.pid)) - cpu;
    const { times, rss, failed } = await prober.stop();
    const counted = [...Map.groupBy(answers, (answer) => answer)].map(([answer, all]) => `${all.length} × ${answer}`);
    if (failed > 0) counted.push(`${failed} reads of others failed`);
    const figures = [seconds, spent, ...[0.5, 0.95, 1].map((share) => quantile(times, share))].map(figure);
    rows.push([name, counted.join(', '), ...figures, String(times.length), String(Math.round(rss))]);
    print(rows.at(-1)?.join(' | '));
    await delay(500, bench.signal);
  }
  for (const line of tableLines(rows)) print(line);
}

/** The processor time of the process so far, in user and system mode (proc(5): in ticks of 10 ms). */
async function processorSeconds(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')).split(' ');
  return (Number(fields[13] ?? 0) + Number(fields[14] ?? 0)) / 100;
}

await runBench('hostile files and lists', LIMIT_MS, run);
