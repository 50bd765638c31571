// Files of Secrets, watched for change.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { secretFiles } from '#config.ts';
import { followSecrets } from '#telemetry/secrets.ts';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'zonestead-secrets-'));
  file = join(folder, 'uri');
  await writeFile(file, 'postgres://a:one@db/z\n');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('the watch knows the files that secrets came from, but not those that a setting overrides', () => {
  expect([...secretFiles({ DATABASE_URL_FILE: file })]).toEqual([[file, 'postgres://a:one@db/z']]);
  expect(secretFiles({ DATABASE_URL_FILE: file, DATABASE_URL: 'postgres://b@db/z' }).size).toBe(0);
});

test('the watch does not wait for the file of the API key, because clients read it again without a restart', () => {
  expect(secretFiles({ ZONESTEAD_API_KEY_FILE: file }).size).toBe(0);
});

test('the watch logs a change without its content', async () => {
  const lines: string[] = [];
  const known = secretFiles({ DATABASE_URL_FILE: file });
  const changed = followSecrets(known, (line) => lines.push(line), new AbortController().signal, 5);
  // A renewal passes through a moment without content.
  await writeFile(file, '');
  await writeFile(file, 'postgres://a:two@db/z\n');
  expect(await changed).toBe(true);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain(`${file} changed`);
  expect(lines[0]).not.toContain('two');
});

test('the watch is quiet while nothing changes', async () => {
  const stop = new AbortController();
  const changed = followSecrets(secretFiles({ DATABASE_URL_FILE: file }), () => undefined, stop.signal, 2);
  await writeFile(file, 'postgres://a:one@db/z');
  setTimeout(() => stop.abort(), 50);
  expect(await changed).toBe(false);
  expect(await followSecrets(new Map(), () => undefined, new AbortController().signal)).toBe(false);
});
