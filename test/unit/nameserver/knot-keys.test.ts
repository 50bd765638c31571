// The file with which a private key reaches keymgr.
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { generateSigningKey } from '#dns/dnssec/signing-key.ts';
import { knotFolder } from '#nameserver/knot/folder.ts';
import { keyStore } from '#nameserver/knot/keys.ts';

test('no other user of the machine can read the key while keymgr imports it, and its file is gone afterwards', async () => {
  const root = await mkdtemp(join(tmpdir(), 'zonestead-keys-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const folder = knotFolder(root);
  await mkdir(folder.storage);
  const [keymgr, seen] = [join(root, 'keymgr'), join(root, 'seen')];
  // In place of keymgr: keymgr -D DATABASE ZONE import-pem FILE …
  await writeFile(keymgr, `#!/bin/sh\n[ "$4" = import-pem ] && stat -c '%a' "$5" > '${seen}'\nexit 0\n`);
  await chmod(keymgr, 0o700);
  const before = process.umask(0);
  onTestFinished(() => void process.umask(before));
  const store = keyStore({ keymgr, folder });
  const key = { zone: 'a.test', keys: [{ privateKey: generateSigningKey().privateKey, state: 'active' as const }] };
  await expect(store.add([key], new AbortController().signal)).rejects.toThrow('keymgr did not import the key');
  expect((await readFile(seen, 'utf8')).trim()).toBe('600');
  expect((await readdir(root)).filter((name) => name.endsWith('.pem'))).toEqual([]);
});
