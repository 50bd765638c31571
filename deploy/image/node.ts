// The Node of the images: the program of the release at nodejs.org. The npm package that brings it is another
// publisher's, so its program is compared with the digest of the release.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

/** SHA-256 of `bin/node` in the archive of the release, by version and architecture. */
const RELEASES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'v26.10.0': {
    x64: 'ab9c8eecf9f82d6693cdc3accced17034065c8d96213b0aa76a7e803d20ae1da',
    arm64: '71b004f18a82f3ea8f26109798564a12e5e4c7989a4c35b93851830b5815dd03',
  },
};

/** Node's path on this machine, and what it says about itself. */
export interface NodeProgram {
  path: string;
  /** v26.10.0 */
  version: string;
  /** As process.arch. */
  arch: string;
}

/** @throws Error that says what to do, when the program is not the one of the release */
export async function verifyNode({ path, version, arch }: NodeProgram): Promise<void> {
  const pinned = RELEASES[version]?.[arch];
  if (pinned === undefined)
    throw new Error(
      `No digest is pinned for Node ${version} on ${arch} (${path}). If the version in package.json is new, download its archive and SHASUMS256.txt.asc from nodejs.org, verify the signature, and write the SHA-256 digest of bin/node into deploy/image/node.ts. Otherwise build with the Node of the lock file: npm run image`,
    );
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  const digest = hash.digest('hex');
  if (digest === pinned) return;
  throw new Error(
    `${path} is not Node ${version} as nodejs.org released it: its SHA-256 digest is ${digest}, and not ${pinned}. Delete node_modules, run npm install, and build again; if the digest stays, do not use this program and report it`,
  );
}
