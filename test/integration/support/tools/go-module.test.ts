// The sources of a Go module that the tests build: with another hash than the pinned one, nothing is built.
import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { withGoModule } from '../../../support/tools/go-module.ts';
import { SUITE_MODULES } from '../../../support/tools/suites.ts';

const LIMIT_MS = 120_000;
const { signal } = new AbortController();
const options = { limitMs: LIMIT_MS, signal };

test('a Go module with the pinned hash is given as a folder that can be changed', { timeout: LIMIT_MS }, async () => {
  await withGoModule(SUITE_MODULES.mittwald, options, async (folder) => {
    expect(await readdir(folder)).toEqual(expect.arrayContaining(['go.mod', 'go.sum']));
  });
});

test('a Go module with another hash is refused with both hashes', { timeout: LIMIT_MS }, async () => {
  const { module, version, sum } = SUITE_MODULES.mittwald;
  const other = 'h1:W5XdncBvIK9H/Arj8FNUgvQ4cywUEeUWTKtfD3ad6SQ=';
  await expect(withGoModule({ module, version, sum: other }, options, async () => undefined)).rejects.toThrow(
    `${module} ${version} has the hash ${sum}, and not ${other}, so it is not built. Compare it with the checksum database of Go`,
  );
});
