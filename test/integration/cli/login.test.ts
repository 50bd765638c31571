// Logins as a person has them: a process that reads a key, keeps it, and later ones that use it.
import { spawn } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { COMPILED } from '../../support/program/compiled.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';
import { startTestService } from '../../support/service/service.ts';

const service = await startTestService({ nameserver: false });
const admin = await service.key();
await service.zone('login.example', admin);
const home = await temporaryFolder('login');
const file = join(home, 'zonestead/contexts.json');
const MAIN = inject('program');

/** Runs `zonestead …` without settings. @param input its standard input */
async function run(words: string[], input = ''): Promise<{ code: number | null; out: string; err: string }> {
  const env = { PATH: process.env.PATH ?? '', HOME: home, XDG_CONFIG_HOME: home, ...COMPILED };
  const child = spawn(process.execPath, [MAIN, ...words], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  child.stdin.on('error', () => undefined).end(input);
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString() };
}

test('a login is kept for later commands, its key is never printed, and it ends with a logout', async () => {
  const before = await run(['zones', 'list']);
  expect([before.code, before.err]).toEqual([1, expect.stringContaining('"zonestead login <address>"')]);

  const login = await run(['login', service.url, '--context', 'lab'], `${admin.text}\n`);
  expect(login).toMatchObject({ code: 0, err: '' });
  expect(login.out).toMatch(
    /^You are logged in to http:\/\/\S+ with the key .* of the team .*\. The context is lab\.\n/,
  );
  expect((await stat(file)).mode & 0o777).toBe(0o600);

  expect((await run(['zones', 'list'])).out).toMatch(/^login\.example /m);
  const listed = await run(['contexts', 'list', '-o', 'json']);
  expect(JSON.parse(listed.out)).toEqual({ contexts: [{ context: 'lab', url: service.url, current: true }] });
  const version = await run(['version', '-o', 'json']);
  expect(JSON.parse(version.out)).toEqual({ client: manifest.version, service: manifest.version, url: service.url });
  for (const { out, err } of [login, listed, version]) expect(out + err).not.toContain(admin.text);

  const logout = await run(['logout']);
  expect(logout.out).toContain('the key of the context lab is deleted here');
  expect(await readFile(file, 'utf8')).not.toContain(admin.text);
  expect((await run(['zones', 'list'])).code).toBe(1);
});

test('a wrong key, a wrong context and an address without a service say what to do, and keep nothing', async () => {
  const wrong = await run(['login', service.url], 'yk_wrong\n');
  expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining(`${service.url}`)]);
  const empty = await run(['login', service.url], '');
  expect(empty.err).toContain('no key was given; create one in the console');
  const away = await run(['login', 'http://127.0.0.1:9'], `${admin.text}\n`);
  expect([away.code, away.err]).toEqual([1, expect.stringContaining('127.0.0.1:9')]);
  expect((await run(['contexts', 'list'])).out).toBe(
    'There is no login yet: "zonestead login <address>" creates one.\n',
  );
  const unknown = await run(['zones', 'list', '--context', 'lab']);
  expect(unknown.err).toContain('"zonestead login <address> --context lab" creates it');
});

test('a login whose key was revoked says that it has ended, and how to log in again', async () => {
  const other = await service.key();
  await run(['login', service.url, '--context', 'short'], other.text);
  await service.sql`update api_keys set revoked_at = now() where id = ${other.id}`;
  const { code, err } = await run(['zones', 'list']);
  expect(code).toBe(1);
  expect(err).toContain('The login of the context short has ended: its key expired or was revoked.');
  expect(err).toContain(`"zonestead login ${service.url} --context short"`);
});
