// Logs without secrets, metrics with the prefix, health that never hangs.
import { afterEach, describe, expect, test } from 'vitest';
import { type HealthServer, startHealthServer } from '#telemetry/health.ts';
import { createLogger, redactText } from '#telemetry/log.ts';
import { createMetrics } from '#telemetry/metrics.ts';

function setUp() {
  const lines: string[] = [];
  const log = createLogger({ name: 'test', destination: { write: (line: string) => void lines.push(line) } });
  return { log, lines };
}

test('the log is one JSON object a line with a readable level and time', () => {
  const { log, lines } = setUp();
  log.child({ controller: 'zones' }).warn({ key: 'default/a' }, 'hello');
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    level: 'warn',
    name: 'test',
    controller: 'zones',
    key: 'default/a',
    msg: 'hello',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
  });
});

test('the log holds no credentials, in fields, messages or errors', () => {
  const { log, lines } = setUp();
  log.info({ authorization: 'Bearer s3cret', request: { headers: { authorization: 's3cret' } }, apiKey: 's3cret' });
  log.info('key yk_abc123_s3cretS3cret-_x was refused');
  log.error({ err: new Error('postgres://user:s3cret@localhost/db: Authorization: Bearer s3cret.s3cret') }, 'failed');
  log.error({ err: new Error('yu_person_s3cret') }, 'failed');
  log.error({ err: new Error('yn_node1_s3cret') }, 'failed');
  const text = lines.join('');
  expect(text).not.toContain('s3cret');
  expect(text).toContain('yn_node1_[redacted]');
  expect(text).toContain('yk_abc123_[redacted]');
  for (const line of lines) expect(() => JSON.parse(line)).not.toThrow();
});

test('the log leaves other text as it is', () => {
  const line = '{"msg":"zone example.com at https://api.example.com:8080/v1 has 3 keys"}';
  expect(redactText(line)).toBe(line);
});

test('metrics of a process carry the prefix, and gauges may be read at the scrape', async () => {
  const metrics = createMetrics({ processMetrics: false });
  metrics.counter({ name: 'things_total', help: 'Things', labels: ['kind'] }).inc({ kind: 'a' }, 2);
  let depth = 3;
  metrics.gauge({ name: 'depth', help: 'Depth', collect: (gauge) => gauge.set(depth) });
  metrics.histogram({ name: 'wait_seconds', help: 'Wait', buckets: [1] }).observe(0.5);
  depth = 7;
  const text = await metrics.registry.metrics();
  expect(text).toContain('zonestead_things_total{kind="a"} 2');
  expect(text).toContain('zonestead_depth 7');
  expect(text).toContain('zonestead_wait_seconds_bucket{le="1"} 1');
});

test('metrics of a process tell which process they are of, and its version', async () => {
  const { registry } = createMetrics({ processMetrics: false, component: 'api' });
  expect(await registry.metrics()).toMatch(/^zonestead_build_info\{component="api",version="\d+\.\d+\.\d+"\} 1$/m);
});

test('metrics of a process include those of the process by default, under the names that they have in every program', async () => {
  const text = await createMetrics().registry.metrics();
  expect(text).toMatch(/^process_cpu_seconds_total /m);
  expect(text).not.toMatch(/zonestead_(?:process|nodejs)_/);
});

test('metrics of a process read a total that another part counts at each scrape', async () => {
  const { registry, counter } = createMetrics({ processMetrics: false });
  let total = 2;
  counter({ name: 'terms_total', help: 'Terms', collect: () => total });
  expect(await registry.metrics()).toMatch(/counter\nzonestead_terms_total 2$/m);
  total = 3;
  expect(await registry.metrics()).toMatch(/^zonestead_terms_total 3$/m);
});

describe('the health server', () => {
  let server: HealthServer | undefined;
  afterEach(async () => server?.close());
  const get = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${server?.port}${path}`);
    return { status: answer.status, text: await answer.text() };
  };

  test('the health server returns the results of the callbacks', async () => {
    const { registry } = createMetrics();
    const ready = () => ({ ok: false, checks: { database: 'down' } });
    server = await startHealthServer({ port: 0, host: '127.0.0.1', ready, registry });
    expect(await get('/healthz')).toEqual({ status: 200, text: '{"ok":true}\n' });
    expect(await get('/readyz')).toEqual({ status: 503, text: '{"ok":false,"checks":{"database":"down"}}\n' });
    expect((await get('/metrics?x=1')).text).toContain('process_cpu_seconds_total');
    expect((await get('/')).status).toBe(404);
  });

  test('the health server asks the deep check only for ?deep, and has the same answer without such a check', async () => {
    const ready = () => ({ ok: true });
    const deep = () => ({ ok: false, checks: { database: 'down' } });
    server = await startHealthServer({ port: 0, host: '127.0.0.1', ready, deep });
    const status = async (path: string) => (await get(path)).status;
    const paths = ['/readyz', '/readyz?deep', '/readyz?deep=1', '/readyz?other'];
    expect(await Promise.all(paths.map(status))).toEqual([200, 503, 503, 200]);
    await server.close();
    server = await startHealthServer({ port: 0, host: '127.0.0.1', ready });
    expect(await status('/readyz?deep')).toBe(200);
  });

  test('the health server says no when a callback throws or hangs, without telling strangers why', async () => {
    const live = () => Promise.reject(new Error('secret detail'));
    const ready = () => new Promise<never>(() => undefined);
    server = await startHealthServer({ port: 0, host: '127.0.0.1', live, ready, timeoutMs: 50 });
    for (const path of ['/healthz', '/readyz']) {
      const answer = await get(path);
      expect(answer.status).toBe(503);
      expect(answer.text).not.toContain('secret');
    }
  });

  test('the health server rejects when its port is taken', async () => {
    server = await startHealthServer({ port: 0, host: '127.0.0.1' });
    await expect(startHealthServer({ port: server.port, host: '127.0.0.1' })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
  });
});
