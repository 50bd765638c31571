// The images of the architecture that this machine does not have: api, operator, node and knotd of the image run under
// QEMU, next to Postgres and Kubernetes of this machine.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildCommandLine } from '../../deploy/cli/bundle.ts';
import { ARCHITECTURES } from '../../deploy/local/parts/architecture.ts';
import { runCommand } from '../../deploy/local/parts/commands.ts';
import manifest from '../../package.json' with { type: 'json' };
import { temporaryFolder } from '../support/runner/temporary.ts';
import { recordObject, startTestStack, type TestStack, zoneObject } from '../support/stack/stack.ts';
import { type EmulatedImage, emulatedNode, FOREIGN, layDownForeign } from './emulated.support.ts';

const LIMIT_MS = 900_000;
const ZONE = 'emulated.example';
const { signal } = new AbortController();
let image: EmulatedImage;
let node: string;
let stack: TestStack;

async function run(command: string, ...args: string[]): Promise<string> {
  const { code, out, tail } = await runCommand({ command, args, timeoutMs: LIMIT_MS, signal });
  expect(code, tail).toBe(0);
  return out;
}

beforeAll(async () => {
  image = await layDownForeign('nameserver', await temporaryFolder('emulated'));
  // The image has the module for weights. knotd lists its folder, which QEMU does not translate as it translates files.
  await rm(join(image.root, 'usr/lib', ARCHITECTURES[FOREIGN].triplet, 'knot'), { recursive: true });
  node = await emulatedNode(image);
  const [knotd, keymgr, knotc] = await Promise.all(
    ['knotd', 'keymgr', 'knotc'].map((name) => image.program(`usr/sbin/${name}`)),
  );
  stack = await startTestStack({
    emulated: {
      main: `${image.root}/app/main.js`,
      node,
      knotPrograms: { knotd: knotd as string, keymgr: keymgr as string, knotc: knotc as string },
    },
  });
}, LIMIT_MS);
afterAll(() => stack?.stop());

test('the programs of the image are those of the other architecture', async () => {
  expect(await run(node, '--print', 'process.arch')).toBe(FOREIGN);
  const knotd = await run(await image.program('usr/sbin/knotd'), '--version');
  expect(knotd).toMatch(/^knotd, Knot DNS 3\.4\./);
});

test(
  'a zone and a record that kubectl applies are answered by the name server of the image, signed',
  async () => {
    const record = recordObject('www', 'emulated', { name: 'www', type: 'A', content: '192.0.2.7' });
    expect(await stack.apply(zoneObject('emulated', ZONE), record)).toMatchObject({ ok: true });
    await stack.ready('zdz/emulated', 'zdr/www');
    expect(await stack.dig(`www.${ZONE}`, 'A')).toEqual([`www.${ZONE}. 3600 IN A 192.0.2.7`]);
    expect(await stack.delv(ZONE, `www.${ZONE}`, 'A')).toBe('; fully validated');
    await stack.remove('default', 'zdr/www');
    await expect.poll(() => stack.rcode(`www.${ZONE}`, 'A')).toBe('NXDOMAIN');
  },
  LIMIT_MS,
);

test(
  'the single file of the command line, which was built here, runs there',
  async () => {
    const { file } = await buildCommandLine(await temporaryFolder('emulated-cli'));
    expect(await run(node, file, '--version')).toBe(manifest.version);
  },
  LIMIT_MS,
);

test(
  'the image of Postgres has the programs of the other architecture with all libraries that they link',
  async () => {
    const postgres = await layDownForeign('postgres', await temporaryFolder('emulated-postgres'));
    for (const name of ['postgres', 'initdb'])
      expect(await run(await postgres.program(`usr/local/pgsql/bin/${name}`), '--version')).toMatch(
        /\(PostgreSQL\) 18\./,
      );
    expect(await run(await postgres.program('usr/bin/sh'), '-c', 'echo $((6 * 7))')).toBe('42');
  },
  LIMIT_MS,
);
