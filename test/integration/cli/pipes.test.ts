// The output of the program in a pipe: its reader may leave early, or read late.
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, inject, test } from 'vitest';
import { createClient } from '#client/client.ts';
import { applyBatch } from '#contract/operations/records.ts';
import { createZone } from '#contract/operations/zones.ts';
import { COMPILED } from '../../support/program/compiled.ts';
import { startTestService } from '../../support/service/service.ts';

const service = await startTestService({ nameserver: false });
const client = createClient({ baseUrl: service.url, key: service.admin.text });
const MAIN = inject('program');
const access = { ZONESTEAD_URL: service.url, ZONESTEAD_API_KEY: service.admin.text };
const env = { PATH: process.env.PATH ?? '', ...COMPILED, ...access };
const zone = await client.call(createZone, { body: { zoneName: 'pipes.example', owner: `org:${service.admin.team}` } });
for (const part of [0, 1, 2, 3]) {
  const changes = Array.from({ length: 1_000 }, (_, at) => ({
    action: 'create' as const,
    record: { name: `n${part}-${at}`, type: 'A' as const, content: '192.0.2.1' },
  }));
  (await client.call(applyBatch, { params: { id: zone.id }, body: { changes } })).results;
}
await client.close();

/** @param waitMs the time before the output is read */
async function shell(command: string, waitMs = 0): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(
    'bash',
    ['-c', `set -o pipefail; zonestead() { "${process.execPath}" "${MAIN}" "$@"; }; ${command}`],
    {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const exit = new Promise<number | null>((resolve) => child.on('close', resolve));
  const err: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk.toString()));
  await sleep(waitMs);
  const out: string[] = [];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk.toString()));
  return { code: await exit, out: out.join(''), err: err.join('') };
}

test.each([
  'zonestead records list pipes.example',
  'zonestead records list pipes.example -o json',
  'zonestead records list pipes.example -o yaml',
  'zonestead zones list',
  'zonestead zones --help',
])('%s ends without an error when its reader leaves', async (command) => {
  for (const reader of ['head -1 > /dev/null', 'true']) {
    expect(await shell(`${command} | ${reader}`)).toEqual({ code: 0, out: '', err: '' });
  }
});

test('a change is made although the reader of its output has left', async () => {
  expect((await shell('zonestead zones create written.example | true')).code).toBe(0);
  expect((await shell('zonestead zones list')).out).toContain('written.example');
});

test('the whole output arrives if it is read late', async () => {
  const { out } = await shell('zonestead records list pipes.example', 4_000);
  expect(out.trim().split('\n')).toHaveLength(4_001);
});
