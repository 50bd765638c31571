// The bars of the console: the first byte of the page of a zone of 100,000 records against the API's own list of as
// many records, in turns; the transferred bytes of pages; and the memory of the api over 1,000 page views: `node
// test/bench/console.ts`.
import { type Visit, visit } from '../support/console/visit.ts';
import { type Call, caller, createAgent, insist } from './calls.ts';
import { memory } from './processes.ts';
import { figure, quantile } from './statistics.ts';
import { type Bench, numberedAddress, print, printSummaries, runBench, startBenchService } from './support.ts';

const LIMIT_MS = 15 * 60_000;
const RECORDS = 100_000;
const BATCH = 1_000;
/** As many records as a page shows. */
const PAGE = 50;
const WARM = 30;
const ROUNDS = 200;
const VIEWS = 1_000;
/** Views before the memory is taken for that at rest: code is compiled and caches are filled by then. */
const VIEWS_BEFORE = 300;

async function run(bench: Bench): Promise<void> {
  const service = await startBenchService(bench);
  const pid = service.running.parts().find(({ name }) => name === 'api')?.pid as number;
  const { keys, personKey: key } = service;
  const teamId = keys.first.team;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const call = caller(createAgent(bench), service.url, headers);
  const { id } = JSON.parse(
    await insist(call('POST', '/v1/dns/zones', { zoneName: 'large.example', owner: `org:${teamId}` })),
  ) as { id: string };
  for (let from = 0; from < RECORDS; from += BATCH) await insist(fill(call, id, from));
  const browser = visit(service);
  await browser.signIn(key);
  const home = `/console/zones/${id}`;

  const times: Record<'api' | 'page', number[]> = { api: [], page: [] };
  const apiAddress = `${service.url}/v1/dns/zones/${id}/records?limit=${PAGE}`;
  for (let n = -WARM; n < ROUNDS; n++) {
    bench.signal.throwIfAborted();
    const api = await firstByte(apiAddress, headers);
    const page = await firstByte(`${service.url}${home}`, { cookie: browser.cookie });
    if (n < 0) continue;
    times.api.push(api);
    times.page.push(page);
  }
  printSummaries({
    [`API, first byte of a list of ${PAGE}`]: times.api,
    [`page of the zone of ${RECORDS}, first byte`]: times.page,
  });
  for (const q of [0.5, 0.95]) {
    print(`ratio at ${q}: ${figure(quantile(times.page, q) / quantile(times.api, q))} (bar: 3)`);
  }

  const sizes = await measurePages(service.url, browser, id);
  const shared = await measureAssets(service.url, (await browser.get(home)).text);
  for (const [path, bytes] of sizes) print(`${path}: ${figure(bytes / 1000)} kB`);
  const largest = Math.max(...sizes.map(([, bytes]) => bytes));
  print(`style and script of all pages, kept by the browser: ${figure(shared / 1000)} kB`);
  print(`largest page at a first visit: ${figure((largest + shared) / 1000)} kB (bar: 200)`);

  const paths = [home, `${home}/history`, `${home}/settings`, `${home}/zonefile`, '/console/zones'];
  const view = async (times: number) => {
    for (let n = 0; n < times; n++) {
      bench.signal.throwIfAborted();
      const { status } = await browser.get(paths[n % paths.length] as string);
      if (status !== 200) throw new Error(`${paths[n % paths.length]}: ${status}`);
    }
  };
  await view(VIEWS_BEFORE);
  const before = (await memory(pid)).now;
  await view(VIEWS);
  const after = (await memory(pid)).now;
  print(`api: ${figure(before)} MiB, after ${VIEWS} page views ${figure(after)} MiB`);
  print(`change: ${figure((after / before - 1) * 100)} % (bar: 10)`);
}

/** Milliseconds until the answer's head is there. @throws when it is not a success */
async function firstByte(address: string, headers: Record<string, string>): Promise<number> {
  const start = performance.now();
  const answer = await fetch(address, { headers, redirect: 'manual' });
  const ms = performance.now() - start;
  await answer.arrayBuffer();
  if (answer.status !== 200) throw new Error(`${address}: ${answer.status}`);
  return ms;
}

/** The resources that a page loads, in bytes. */
async function measureAssets(url: string, html: string): Promise<number> {
  const addresses = [...html.matchAll(/(?:src|href)="(\/console\/assets\/[^"]*)"/g)].map(([, address]) => address);
  const bodies = addresses.map(async (address) => (await fetch(`${url}${address}`)).arrayBuffer());
  return (await Promise.all(bodies)).reduce((sum, body) => sum + body.byteLength, 0);
}

/** The size of every page of a zone, including the preview of an import that changes everything, in bytes. */
async function measurePages(url: string, browser: Visit, id: string): Promise<[string, number][]> {
  const home = `/console/zones/${id}`;
  const sizes: [string, number][] = [];
  for (const path of ['', '?q=old9&type=A', '/history', '/live', '/settings', '/zonefile', '/delete']) {
    const { text, status } = await browser.get(`${home}${path}`);
    if (status !== 200) throw new Error(`${path}: ${status}`);
    sizes.push([path === '' ? 'records' : path, Buffer.byteLength(text)]);
  }
  const { csrf } = await browser.get(`${home}/zonefile`);
  const lines = Array.from({ length: 20_000 }, (_, n) => `new${n} IN TXT "${'v'.repeat(200)}"`);
  const form = new FormData();
  form.set('_csrf', csrf);
  form.set('upload', new Blob([`${lines.join('\n')}\n`]), 'new.zone');
  const preview = await fetch(`${url}${home}/zonefile`, {
    method: 'POST',
    body: form,
    headers: { cookie: browser.cookie },
  });
  if (preview.status !== 200) throw new Error(`preview: ${preview.status}`);
  sizes.push(['preview of an import', (await preview.arrayBuffer()).byteLength]);
  return sizes;
}

function fill(call: Call, zone: string, from: number): ReturnType<Call> {
  const changes = Array.from({ length: BATCH }, (_, n) => ({
    action: 'create',
    record: { name: `old${from + n}`, type: 'A', content: numberedAddress(from + n), ttl: 300 },
  }));
  return call('POST', `/v1/dns/zones/${zone}/records:batch`, { changes });
}

await runBench('The console', LIMIT_MS, run);
