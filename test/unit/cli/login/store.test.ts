// The file of logins: only its owner can read it, it is replaced as a whole, and no error shows a key.
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { loginNamed, readLogins, writeLogins } from '#cli/login/store.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';

const KEY = 'yu_secret-of-a-person';
const LOGINS = { current: 'prod', contexts: { prod: { url: 'https://dns.example.net', key: KEY } } };

async function emptyFile(): Promise<string> {
  return join(await temporaryFolder('logins'), 'config/zonestead/contexts.json');
}

test('the file of logins has mode 600 in a folder of mode 700, also if it is written again', async () => {
  const file = await emptyFile();
  expect(await readLogins(file)).toEqual({ current: null, contexts: {} });
  for (const current of ['prod', null]) {
    await writeLogins({ ...LOGINS, current }, file);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readLogins(file)).toEqual({ ...LOGINS, current });
  }
  expect((await stat(dirname(file))).mode & 0o777).toBe(0o700);
  expect(await readdir(dirname(file))).toEqual(['contexts.json']);
});

test('a file that other accounts can read is refused with the command that repairs it', async () => {
  const file = await emptyFile();
  await writeLogins(LOGINS, file);
  for (const mode of [0o640, 0o604, 0o666]) {
    await chmod(file, mode);
    await expect(readLogins(file)).rejects.toThrow(
      `other accounts can read ${file}, which holds keys; run "chmod 600 ${file}"`,
    );
  }
});

test.each([
  ['a text that is not JSON', `{"contexts": "${KEY}`],
  ['a JSON of another form', JSON.stringify({ contexts: [KEY] })],
  ['a file of more than 1 MiB', `"${KEY.repeat(60_000)}"`],
])('%s is refused with the next step, and without its text', async (_what, text) => {
  const file = await emptyFile();
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text, { mode: 0o600 });
  const error = await readLogins(file).catch((each: Error) => each);
  expect((error as Error).message).toBe(`${file} is not a file of "zonestead login"; delete it, and log in again`);
  expect(String((error as Error).cause ?? '')).not.toContain(KEY);
});

test('a login that cannot be written leaves the former file, and no other', async () => {
  const file = await emptyFile();
  await writeLogins(LOGINS, file);
  const many = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`c${at}`, LOGINS.contexts.prod]));
  await expect(writeLogins({ current: null, contexts: many }, file)).rejects.toThrow(
    'remove one with "zonestead logout <context>"',
  );
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(LOGINS);
  expect(await readdir(dirname(file))).toEqual(['contexts.json']);
});

test('an unknown context is answered with those that there are, and the command that creates it', () => {
  expect(() => loginNamed(LOGINS, 'lab')).toThrow(
    'there is no context "lab"; your contexts are prod. "zonestead login <address> --context lab" creates it',
  );
  expect(() => loginNamed({ current: null, contexts: {} }, 'toString')).toThrow('there is no context yet');
});
