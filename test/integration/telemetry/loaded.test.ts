// The modules that a process loads: OpenTelemetry's SDK only if there is an endpoint for traces. V8 reports every
// script that a process ran (NODE_V8_COVERAGE), so that nothing depends on the imports.
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { startCommand } from '../../../deploy/local/parts/command.ts';
import { allocatePorts } from '../../../deploy/local/parts/ports.ts';
import { cloneDatabase } from '../../support/postgres/database.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';

const { signal } = new AbortController();
const folder = await temporaryFolder('loaded');
const database = await cloneDatabase();
afterAll(() => database.close());

/** Names of the packages that an api loads from its start to its orderly end. */
async function packagesOfApi(name: string, settings: Record<string, string>): Promise<Set<string>> {
  const stateDir = join(folder, name);
  const coverage = join(stateDir, 'coverage');
  await mkdir(coverage, { recursive: true });
  const { api, health } = await allocatePorts([{ name: 'api' }, { name: 'health' }], { stateDir });
  const env = {
    DATABASE_URL: database.url,
    ZONESTEAD_LISTEN: `127.0.0.1:${api}`,
    ZONESTEAD_NAMESERVERS: 'ns1.example',
    NODE_V8_COVERAGE: coverage,
    ...settings,
  };
  const part = await startCommand({ name: 'api', env, healthPort: health, stateDir, signal });
  expect((await fetch(`http://127.0.0.1:${api}/v1/dns/openapi.json`)).status).toBe(200);
  await part.stop();
  const texts = await Promise.all((await readdir(coverage)).map((file) => readFile(join(coverage, file), 'utf8')));
  const urls = texts.flatMap((text) =>
    (JSON.parse(text) as { result: { url: string }[] }).result.map(({ url }) => url),
  );
  return new Set(urls.flatMap((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []));
}

/** Its API alone, interfaces without an implementation, comes with prom-client. */
const sdkOf = (packages: Set<string>) =>
  [...packages].filter((name) => name.startsWith('@opentelemetry/') && name !== '@opentelemetry/api');

test("an api without an endpoint for traces loads nothing of OpenTelemetry's SDK, and one with it does", async () => {
  const without = await packagesOfApi('without', {});
  expect([...without]).toEqual(expect.arrayContaining(['fastify', 'postgres', 'zod']));
  expect(sdkOf(without)).toEqual([]);
  // No process listens there, which is nothing to an api.
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };
  expect(sdkOf(await packagesOfApi('with', endpoint))).toContain('@opentelemetry/sdk-trace-node');
});
