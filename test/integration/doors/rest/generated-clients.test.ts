// Clients that generators make from the OpenAPI document, for Go and for TypeScript: their methods have good names, and
// work.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { runCommand } from '../../../../deploy/local/parts/commands.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';
import { startTestService } from '../../../support/service/service.ts';
import {
  ensureGoClient,
  ensureTypescriptGenerator,
  makeTypescriptClient,
} from '../../../support/tools/generated-clients.ts';

// The first run builds the generators.
vi.setConfig({ testTimeout: 900_000 });
const progress = (line: string) => process.stdout.write(`${line}\n`);
const { signal } = new AbortController();
const service = await startTestService({ nameserver: false });
const owner = `org:${service.admin.team}`;
const folder = await temporaryFolder('clients');

const walk = (zone: string) => ({
  zone,
  record: 'www 300 A 192.0.2.1',
  records: ['www A'],
  refused: 'conflict',
  stale: 'precondition_failed',
  // The zone and the record.
  changes: 2,
  deleted: 204,
  forgotten: 'not_found',
});

test('a generated Go client works', async () => {
  const command = await ensureGoClient(progress, signal);
  const env = { ZONESTEAD_URL: service.url, ZONESTEAD_API_KEY: service.admin.text };
  const { code, out, tail } = await runCommand({
    command,
    args: ['go.example', owner],
    env,
    timeoutMs: 120_000,
    signal,
  });
  expect(code, tail).toBe(0);
  expect(JSON.parse(out)).toEqual(walk('go.example'));
});

test('a generated TypeScript client works, and its functions are the operations', async () => {
  await makeTypescriptClient(folder, await ensureTypescriptGenerator(progress, signal), signal);
  const { run } = (await import(join(folder, 'calls.ts'))) as { run(...args: string[]): Promise<object> };
  expect(await run(service.url, service.admin.text, 'typescript.example', owner)).toEqual(walk('typescript.example'));
  const document = JSON.parse(await readFile('docs/reference/openapi.json', 'utf8')) as {
    paths: Record<string, Record<string, { operationId?: string }>>;
  };
  const operations = Object.values(document.paths).flatMap((path) =>
    Object.values(path).map(({ operationId }) => operationId),
  );
  expect(Object.keys(await import(join(folder, 'client/sdk.gen.ts'))).sort()).toEqual(operations.sort());
});
