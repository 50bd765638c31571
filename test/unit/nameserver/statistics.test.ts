// PowerDNS' counters from a control socket that answers as PowerDNS does: the output of `SHOW *` becomes metrics, and a
// PowerDNS that does not answer is reported as down.
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { readVariables, watchPowerDns } from '#nameserver/companion/statistics.ts';
import { createMetrics } from '#telemetry/metrics.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const folder = await temporaryFolder('statistics');
let server: Server | undefined;
afterEach(() => void server?.close());

let sockets = 0;
async function powerDns(answer: (command: string) => string): Promise<string> {
  sockets += 1;
  const path = join(folder, `socket-${sockets}`);
  server = createServer((connection) => {
    connection.on('error', () => undefined);
    connection.on('data', (data) => connection.end(answer(String(data))));
  });
  await new Promise<void>((resolve) => server?.listen(path, resolve));
  return path;
}

it('The reader parses pairs and skips values that are not numbers', () => {
  const variables = readVariables('udp-queries=12,latency=350,empty=,odd,version=x,\n');
  expect([...variables]).toEqual([
    ['udp-queries', 12],
    ['latency', 350],
  ]);
});

it('A scrape sends one command and shows its numbers', async () => {
  const commands: string[] = [];
  const socket = await powerDns((command) => {
    commands.push(command);
    return `udp-queries=${commands.length * 10},tcp-queries=3,servfail-packets=2,latency=1500,qsize-q=4\n`;
  });
  const metrics = createMetrics({ processMetrics: false });
  watchPowerDns(metrics, socket);
  await metrics.registry.metrics();
  const text = await metrics.registry.metrics();
  expect(commands).toEqual(['SHOW *\n', 'SHOW *\n']);
  for (const line of [
    'zonestead_dns_up 1',
    'zonestead_dns_queries_total{transport="udp"} 20',
    'zonestead_dns_queries_total{transport="tcp"} 3',
    'zonestead_dns_failures_total{kind="servfail"} 2',
    'zonestead_dns_failures_total{kind="timeout"} 0',
    'zonestead_dns_latency_seconds 0.0015',
    'zonestead_dns_backend_queue 4',
  ])
    expect(text.split('\n')).toContain(line);
});

it('A scrape reports that PowerDNS is down if the socket does not exist', async () => {
  const metrics = createMetrics({ processMetrics: false });
  watchPowerDns(metrics, join(folder, 'nobody'));
  expect((await metrics.registry.metrics()).split('\n')).toContain('zonestead_dns_up 0');
});
