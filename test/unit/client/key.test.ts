// The key of a client in a file, as kubelet writes the file of a projected token: a symbolic link that changes to a new
// folder. The service is a real HTTP server that accepts one token.
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Client, createClient } from '#client/client.ts';
import { isKeyNotRead } from '#client/errors.ts';
import { KeyUnreadable } from '#client/key.ts';
import { importZoneFile } from '#contract/operations/zone-files.ts';

let folder: string;
let now = 0;
let valid = 'one';
/** The time in s after which the service would read the keys of the issuer again; 0: it has just read them. */
let unreadFor = 0;
let onUnread = () => {};
const seen: { token: string | undefined; body: string }[] = [];
let client: Client;

const server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => {
    body += chunk;
  });
  request.on('end', () => {
    const token = request.headers.authorization?.replace('Bearer ', '');
    seen.push({ token, body });
    const isValid = token === valid;
    const isUnread = !isValid && unreadFor > 0;
    const later = isUnread ? { 'retry-after': String(unreadFor) } : {};
    response.writeHead(isValid ? 200 : 401, { 'content-type': 'application/json', ...later });
    const refusal = { error: 'unauthorized', message: 'The token has expired.' };
    if (isUnread) onUnread();
    response.end(JSON.stringify(isValid ? summary : refusal));
  });
});

const summary = { records: 1, created: 1, updated: 0, deleted: 0, unchanged: 0, ignored: 2 };
const FILE = 'www A 192.0.2.1\n';
/** A call with a body, which a repetition must send again. */
const call = () => client.call(importZoneFile, { params: { id: 'zone_1' }, body: FILE });

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'zonestead-key-'));
  [now, valid, unreadFor, onUnread] = [1_000_000, 'one', 0, () => {}];
  seen.length = 0;
  await symlink('..data/token', join(folder, 'token'));
  await write('one');
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const clock = { now: () => now, setTimeout: (fn: () => void, ms: number) => stopping(setTimeout(fn, ms)) };
  const baseUrl = `http://127.0.0.1:${port}`;
  client = createClient({ baseUrl, key: { file: join(folder, 'token') }, keyWaitMs: 5_000, clock });
});
afterEach(async () => {
  await client.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true, force: true });
});

const stopping = (timer: NodeJS.Timeout) => () => clearTimeout(timer);

let version = 0;
/** The steps of kubelet: a new folder with the file, and then one rename of the link to it. */
async function write(text: string): Promise<void> {
  version += 1;
  await mkdir(join(folder, `..${version}`));
  await writeFile(join(folder, `..${version}`, 'token'), text);
  await symlink(`..${version}`, join(folder, '..data_tmp'));
  await rename(join(folder, '..data_tmp'), join(folder, '..data'));
}

test('the key in the file is read again when the service refuses it, and the call is repeated once with its body', async () => {
  expect(await call()).toEqual(summary);
  await write('two\n');
  valid = 'two';
  expect(await call()).toEqual(summary);
  expect(seen.map(({ token }) => token)).toEqual(['one', 'one', 'two']);
  expect(new Set(seen.map((each) => each.body))).toEqual(new Set([FILE]));
});

test('the key in the file is read again every few seconds, before the service refuses it', async () => {
  await call();
  await write('two');
  await call();
  now += 5_000;
  valid = 'two';
  await call();
  expect(seen.map(({ token }) => token)).toEqual(['one', 'one', 'two']);
});

test('the key in the file is not sent again if the service refuses what the file holds', async () => {
  valid = 'another';
  await expect(call()).rejects.toMatchObject({ status: 401, message: 'The token has expired.' });
  expect(seen).toHaveLength(1);
});

test('the key in the file is sent once more if the service reads the keys of the issuer soon', async () => {
  [valid, unreadFor] = ['another', 1];
  onUnread = () => {
    valid = 'one';
  };
  expect(await call()).toEqual(summary);
  expect(seen.map(({ token, body }) => [token, body])).toEqual([
    ['one', FILE],
    ['one', FILE],
  ]);
  [valid, onUnread] = ['another', () => {}];
  await expect(call()).rejects.toMatchObject({ status: 401, retryAfterMs: 1_000 });
  expect(seen).toHaveLength(4);
});

test('the key in the file is not sent again if the service reads the keys of the issuer later, and the error says when', async () => {
  [valid, unreadFor] = ['another', 6];
  await expect(call()).rejects.toSatisfy(isKeyNotRead);
  expect(seen).toHaveLength(1);
});

test('the key in the file lets every one of many concurrent calls succeed after a rotation', async () => {
  await call();
  for (const token of ['two', 'three', 'four']) {
    await write(token);
    valid = token;
    const calls = Array.from({ length: 50 }, call);
    expect(await Promise.all(calls)).toEqual(calls.map(() => summary));
  }
});

test('the key in the file stays in use while the file is missing, until the service refuses it; then each call names the file and reads it again', async () => {
  await call();
  await rm(join(folder, '..data'));
  now += 60_000;
  expect(await call()).toEqual(summary);
  valid = 'two';
  const missing = await call().catch((error: unknown) => error);
  expect(missing).toBeInstanceOf(KeyUnreadable);
  expect(String(missing)).toContain(`${join(folder, 'token')}, cannot be read (ENOENT)`);
  await write('');
  await expect(call()).rejects.toThrow('is empty');
  await write('two words');
  await expect(call()).rejects.toThrow('printable ASCII');
  const requests = seen.length;
  await write('two');
  expect(await call()).toEqual(summary);
  expect(seen).toHaveLength(requests + 1);
});
