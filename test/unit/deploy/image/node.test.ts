// The Node of the images is the program that nodejs.org released.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { verifyNode } from '../../../../deploy/image/node.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';

test('the Node of the lock file is the one of the release', async () => {
  await verifyNode({ path: process.execPath, version: process.version, arch: process.arch });
});

test('another program of the same version stops the build, with both digests and the next steps', async () => {
  const path = join(await temporaryFolder('node'), 'node');
  await writeFile(path, 'another program');
  await expect(verifyNode({ path, version: process.version, arch: process.arch })).rejects.toThrow(
    new RegExp(
      `^${path} is not Node ${process.version} as nodejs\\.org released it: its SHA-256 digest is [0-9a-f]{64}, and not [0-9a-f]{64}\\. Delete node_modules, run npm install, and build again`,
    ),
  );
});

test('a version without a digest stops the build, with the steps that pin one', async () => {
  const node = { path: '/opt/node', version: 'v26.99.0', arch: 'x64' };
  await expect(verifyNode(node)).rejects.toThrow(
    'No digest is pinned for Node v26.99.0 on x64 (/opt/node). If the version in package.json is new, download its archive and SHASUMS256.txt.asc from nodejs.org, verify the signature, and write the SHA-256 digest of bin/node into deploy/image/node.ts.',
  );
});
