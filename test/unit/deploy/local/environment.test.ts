// `.local/env`, a contract with other programs: its names, and that a real shell reads back exactly what was written.
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  buildEnvironment,
  type Surroundings,
  shellText,
  writeEnvironment,
} from '../../../../deploy/local/environment.ts';
import { runCommand } from '../../../../deploy/local/parts/commands.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';

const folder = await temporaryFolder('environment');
const { signal } = new AbortController();
const key = (n: number) => ({ team: `team_${n}`, key: `yk_${n}` });
const stack = {
  service: {
    url: 'http://127.0.0.1:20001',
    databaseUrl: 'postgres://zonestead:secret@127.0.0.1:20002/zonestead',
    dns: { address: '127.0.0.1', port: 20_003 },
    updates: '127.0.0.1:20004',
    nameserverAddresses: 'ns1.zonestead.test=127.0.0.1:20003',
    keys: { first: key(1), second: key(2), operator: key(3) },
    personKey: 'yu_1',
  },
  kubeconfig: '/state/kubeconfig',
} as unknown as Surroundings;

/** The variables of a shell after it has read the text. */
async function sourced(text: string, names: string[]): Promise<Record<string, string>> {
  const script = `${text}\nfor name in ${names.join(' ')}; do eval "printf '%s\\0' \\"\\$$name\\""; done`;
  const { code, out } = await runCommand({ command: '/bin/sh', args: ['-c', script], timeoutMs: 60_000, signal });
  expect(code).toBe(0);
  const values = out.split('\0');
  return Object.fromEntries(names.map((name, i) => [name, values[i] ?? '']));
}

test('the environment of a stack has the names that other programs rely on', () => {
  expect(buildEnvironment(stack)).toEqual({
    ZONESTEAD_URL: 'http://127.0.0.1:20001',
    ZONESTEAD_API_KEY: 'yk_1',
    ZONESTEAD_TEAM: 'team_1',
    ZONESTEAD_API_KEY_2: 'yk_2',
    ZONESTEAD_TEAM_2: 'team_2',
    ZONESTEAD_PERSON_KEY: 'yu_1',
    ZONESTEAD_DNS: '127.0.0.1:20003',
    ZONESTEAD_DNS_PORT: '20003',
    ZONESTEAD_UPDATES: '127.0.0.1:20004',
    ZONESTEAD_NAMESERVER_ADDRESSES: 'ns1.zonestead.test=127.0.0.1:20003',
    DATABASE_URL: 'postgres://zonestead:secret@127.0.0.1:20002/zonestead',
    KUBECONFIG: '/state/kubeconfig',
  });
});

test('the environment of a stack is a file for its owner alone, and a shell reads it back', async () => {
  await writeEnvironment(folder, stack);
  const file = join(folder, 'env');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const wanted = buildEnvironment(stack);
  expect(await sourced(await readFile(file, 'utf8'), Object.keys(wanted))).toEqual(wanted);
});

test('the environment of a stack puts its folder of programs first in PATH', async () => {
  const { PATH = '' } = await sourced(shellText({}, "/a dir/it's/bin"), ['PATH']);
  expect(PATH.startsWith("/a dir/it's/bin:")).toBe(true);
  expect(PATH.length).toBeGreaterThan("/a dir/it's/bin:".length);
});

test('the environment of a stack says any text in shell syntax: quotes, dollars, backslashes, blanks', async () => {
  const value = fc.string({ unit: fc.constantFrom(...`ab'"\\$\`!*?~#&|;<>(){}[] =%`), maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(value, async (text) => {
      expect(await sourced(shellText({ VALUE: text }, '/bin'), ['VALUE'])).toEqual({ VALUE: text });
    }),
    { numRuns: 30 },
  );
});
