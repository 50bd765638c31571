// The check of database files before knotd opens them, with the configuration database of knotc.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import { knotFolder } from '#nameserver/knot/folder.ts';
import { findDamage } from '#nameserver/knot/lmdb.ts';
import { prepareKnot } from '#nameserver/knot/prepare.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';

const PAGE = 4096;
const { knotc } = inject('knot');
const { signal } = new AbortController();
const root = await temporaryFolder('lmdb');
const folder = knotFolder(join(root, 'knot'));
await prepareKnot({ knotc, settings: { folder, listen: [], identity: 'ns1' }, signal });
const good = readFileSync(join(folder.confdb, 'data.mdb'));
const copy = join(root, 'copy');
await mkdir(copy);

const damageOfFile = (contents: Buffer) => {
  writeFileSync(join(copy, 'data.mdb'), contents);
  return findDamage(join(copy, 'data.mdb'));
};

const withPages = (first: number, last: number, fill: (octets: Buffer) => void) => {
  const contents = Buffer.from(good);
  fill(contents.subarray(first * PAGE, last * PAGE));
  return contents;
};

test('a file as LMDB wrote it, and an empty one, are in order', () => {
  copyFileSync(join(folder.confdb, 'data.mdb'), join(copy, 'data.mdb'));
  expect(findDamage(join(copy, 'data.mdb'))).toBeNull();
  expect(damageOfFile(Buffer.alloc(0))).toBeNull();
});

test('garbage, zeros, a wrong first page and a file that is too short are damage', () => {
  const end = good.length / PAGE;
  const zero = (octets: Buffer) => void octets.fill(0);
  const random = (octets: Buffer) => void randomBytes(octets.length).copy(octets);
  const version = withPages(0, 1, (octets) => void octets.writeUInt32LE(2, 20));
  for (const [contents, text] of [
    [withPages(0, end, zero), 'page 0 is not the beginning of an LMDB file'],
    [withPages(1, 2, random), 'page 1 is not the beginning of an LMDB file'],
    [version, 'it is of another version of LMDB'],
    [withPages(2, end, zero), /^page \d is not there$/],
    [withPages(2, end, random), /^page \d is not there$/],
    [good.subarray(0, 100), 'it ends at octet 100'],
    [good.subarray(0, 2 * PAGE), /^a tree leads to page \d of 2$/],
  ] as const) {
    expect(damageOfFile(contents)).toMatch(text);
  }
});

test('a tree that leads to itself is damage, and has an end', () => {
  // Every leaf page becomes a branch page whose children are the page itself.
  const contents = withPages(2, good.length / PAGE, (octets) => {
    for (let at = 0; at < octets.length; at += PAGE) {
      if ((octets.readUInt16LE(at + 10) & 2) === 0) continue;
      octets.writeUInt16LE(1, at + 10);
      const count = (octets.readUInt16LE(at + 12) - 16) / 2;
      for (let child = 0; child < count; child++) {
        const node = at + octets.readUInt16LE(at + 16 + 2 * child);
        octets.writeUInt32LE(at / PAGE + 2, node);
        octets.writeUInt16LE(0, node + 4);
      }
    }
  });
  expect(damageOfFile(contents)).toBe('its trees have more pages than the file');
});

test('a file without found damage ends no program that maps it', async () => {
  for (let at = 2; at < good.length / PAGE; at++) {
    for (const offset of [8, 16, 24, 512, 2_048, 4_000]) {
      const contents = Buffer.from(good);
      randomBytes(16).copy(contents, at * PAGE + offset);
      if (damageOfFile(contents) !== null) continue;
      const failure = await promisify(execFile)(knotc, ['-C', copy, 'conf-export', join(root, 'out')]).catch(
        (error) => error,
      );
      expect([at, offset, failure?.signal ?? null]).toEqual([at, offset, null]);
    }
  }
});
