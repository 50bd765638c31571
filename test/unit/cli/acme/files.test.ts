// The credentials file of `zonestead acme`, and the files that it prints for clients.
import { chmod, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseSettings, readCredentials } from '#cli/acme/credentials.ts';
import { script } from '#cli/acme/scripts.ts';
import { runCommand } from '../../../../deploy/local/parts/commands.ts';

const uid = process.getuid?.() ?? 0;
const { signal } = new AbortController();
let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'zonestead-acme-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

test('the credentials file is read in the form of .local/env and of systemd', () => {
  const text = `# a key\n\nexport ZONESTEAD_URL='http://127.0.0.1:1'\nZONESTEAD_API_KEY = "yk_a_b=="\nA=\n`;
  expect(parseSettings(text, 'f')).toEqual({
    ZONESTEAD_URL: 'http://127.0.0.1:1',
    ZONESTEAD_API_KEY: 'yk_a_b==',
    A: '',
  });
  expect(() => parseSettings('A=1\nsome words\n', 'f')).toThrow('f, line 2: write NAME=value.');
});

test.each([0o640, 0o604, 0o620, 0o601])('a file of mode %o is rejected with the way to fix it', async (mode) => {
  const file = join(dir, `mode-${mode}`);
  await writeFile(file, 'A=1\n');
  await chmod(file, mode);
  await expect(readCredentials(file, uid)).rejects.toThrow(`Run: chmod 600 ${file}`);
  await chmod(file, 0o600);
  expect(await readCredentials(file, uid)).toEqual({ A: '1' });
});

test('the target of a link is checked, and a folder or a missing file is rejected', async () => {
  const [file, link] = [join(dir, 'open'), join(dir, 'link')];
  await writeFile(file, 'A=1\n', { mode: 0o644 });
  await symlink(file, link);
  await expect(readCredentials(link, uid)).rejects.toThrow(/other users can read it \(mode 644\)/);
  await expect(readCredentials(dir, uid)).rejects.toThrow(/is not a file/);
  await expect(readCredentials(join(dir, 'none'), uid)).rejects.toThrow(/cannot be read \(ENOENT\)/);
});

test('the printed POSIX files pass on every word unchanged', async () => {
  const odd = ['a b', "it's", '-c', '$HOME', '*'];
  for (const [kind, call] of [
    ['hook', '"$0" "$@"'],
    ['acme.sh', '. "$0"; dns_zonestead_add "$@"'],
  ] as const) {
    const file = join(dir, kind);
    await writeFile(file, script(kind, ['printf', '%s|', ...odd]), { mode: 0o755 });
    const words = kind === 'hook' ? ['present', 'n', '-v'] : ['n', '-v'];
    const { out, code } = await runCommand({
      command: '/bin/sh',
      args: ['-c', call, file, ...words],
      timeoutMs: 10_000,
      signal,
    });
    expect(code).toBe(0);
    expect(out.split('|').slice(0, -1)).toEqual([...odd, ...(kind === 'hook' ? words : ['add', ...words])]);
  }
});

test('the hook starts no program for events of dehydrated that are not challenges', async () => {
  const file = join(dir, 'events');
  await writeFile(file, script('hook', ['echo', 'started']), { mode: 0o755 });
  for (const [event, said] of [
    ['deploy_cert', ''],
    ['this_hookscript_is_broken__dehydrated_is_working_fine', ''],
    ['clean_challenge', 'started clean_challenge'],
    ['present', 'started present'],
  ] as const) {
    expect((await runCommand({ command: file, args: [event], timeoutMs: 10_000, signal })).out).toBe(said);
  }
});
