// Whether the file of an LMDB database can be read to its end, without LMDB: that maps the file, and ends the process
// with SIGBUS or a failed assertion when a page number of a damaged file leads nowhere. Format: mdb.c of LMDB 0.9,
// version 1.
//
// The walk reads the page headers and nodes of all trees. It does not see damage within a value, which knotd finds when
// it loads the zone.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const MAGIC = 0xbeefc0de;
const VERSION = 1;
const HEADER = 16;
const NODE = 8;
const DATABASE = 48;
const EMPTY = 0xffff_ffff_ffff_ffffn;
const PAGE = { branch: 0x01, leaf: 0x02, overflow: 0x04, meta: 0x08, fixed: 0x20 };
const VALUE = { onOtherPages: 0x01, database: 0x02 };
const MIN_PAGE = 256;
const MAX_PAGE = 0x8000;
/** A process that writes at the same time may reuse pages during the walk. */
const TRIES = 5;

interface Meta {
  readonly pageSize: number;
  /** The roots of the tree of free pages and of the main tree. */
  readonly roots: readonly bigint[];
  /** Pages of the file. The last ones may be missing, if they are free: LMDB need not have written them. */
  readonly pages: number;
  readonly transaction: bigint;
}

class Damage extends Error {}

/**
 * @returns the damage of the file; null if all its trees can be walked, or if it is empty (LMDB then fills it)
 * @throws the system's error if the file cannot be opened for reading and writing
 */
export function findDamage(file: string): string | null {
  const descriptor = openSync(file, 'r+');
  try {
    for (let tries = 1; ; tries++) {
      const before = readTransaction(descriptor);
      const damage = walk(descriptor);
      if (damage === null || tries === TRIES || readTransaction(descriptor) === before) return damage;
    }
  } finally {
    closeSync(descriptor);
  }
}

function readTransaction(descriptor: number): bigint | null {
  try {
    return readMeta(descriptor)?.transaction ?? null;
  } catch {
    return null;
  }
}

function walk(descriptor: number): string | null {
  try {
    const meta = readMeta(descriptor);
    if (meta !== null) walkTrees(descriptor, meta);
    return null;
  } catch (error) {
    if (error instanceof Damage) return error.message;
    // Fields that lie outside of their page, and sectors that the disk cannot read.
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof RangeError || code === 'EIO') return `it cannot be read (${code})`;
    throw error;
  }
}

/** The later one of the two meta pages. Null: the file is empty. @throws Damage */
function readMeta(descriptor: number): Meta | null {
  const { size } = fstatSync(descriptor);
  if (size === 0) return null;
  const first = metaAt(read(descriptor, 0, HEADER + 136), 0, size);
  const second = metaAt(read(descriptor, first.pageSize, HEADER + 136), 1, size);
  return first.transaction > second.transaction ? first : second;
}

function metaAt(page: Buffer, number: number, size: number): Meta {
  const isMeta = (page.readUInt16LE(10) & PAGE.meta) !== 0 && page.readUInt32LE(HEADER) === MAGIC;
  if (!isMeta) throw new Damage(`page ${number} is not the beginning of an LMDB file`);
  if (page.readUInt32LE(HEADER + 4) !== VERSION) throw new Damage('it is of another version of LMDB');
  const pageSize = page.readUInt32LE(HEADER + 24);
  const isSize = pageSize >= MIN_PAGE && pageSize <= MAX_PAGE && (pageSize & (pageSize - 1)) === 0;
  if (!isSize) throw new Damage(`page ${number} names a page size of ${pageSize}`);
  return {
    pageSize,
    roots: [rootOf(page, HEADER + 24), rootOf(page, HEADER + 24 + DATABASE)],
    pages: Math.floor(size / pageSize),
    transaction: page.readBigUInt64LE(HEADER + 128),
  };
}

function rootOf(page: Buffer, offset: number): bigint {
  return page.readBigUInt64LE(offset + 40);
}

/** @throws Damage, or RangeError for a field that lies outside of its page */
function walkTrees(descriptor: number, { pageSize, roots, pages }: Meta): void {
  const pageQueue: bigint[] = roots.filter((root) => root !== EMPTY);
  const page = (number: bigint, length: number): Buffer => {
    if (number < 2n || number >= BigInt(pages)) throw new Damage(`a tree leads to page ${number} of ${pages}`);
    const octets = read(descriptor, Number(number) * pageSize, length);
    if (octets.readBigUInt64LE(0) !== number) throw new Damage(`page ${number} is not there`);
    return octets;
  };
  const overflow = (number: bigint, size: number): void => {
    const header = page(number, HEADER);
    const count = header.readUInt32LE(12);
    const isWhole = count * pageSize >= HEADER + size && number + BigInt(count) <= BigInt(pages);
    if ((header.readUInt16LE(10) & PAGE.overflow) === 0 || !isWhole) throw new Damage(`page ${number} holds no value`);
  };
  for (let pageCount = 0; pageQueue.length > 0; pageCount++) {
    // A tree that leads back to itself would have no end.
    if (pageCount > pages) throw new Damage('its trees have more pages than the file');
    const number = pageQueue.pop()!;
    const octets = page(number, pageSize);
    const flags = octets.readUInt16LE(10);
    const isBranch = (flags & PAGE.branch) !== 0;
    if (isBranch === ((flags & PAGE.leaf) !== 0)) throw new Damage(`page ${number} belongs to no tree`);
    const lower = octets.readUInt16LE(12);
    const upper = octets.readUInt16LE(14);
    if (lower < HEADER || lower > upper || upper > pageSize) throw new Damage(`page ${number} has no valid header`);
    // Values of one size without keys.
    if ((flags & PAGE.fixed) !== 0) continue;
    for (let pointer = HEADER; pointer < lower; pointer += 2) {
      const at = octets.readUInt16LE(pointer);
      if (at < upper) throw new Damage(`page ${number} has no valid nodes`);
      const low = octets.readUInt32LE(at);
      const high = octets.readUInt16LE(at + 4);
      const data = at + NODE + octets.readUInt16LE(at + 6);
      if (isBranch) pageQueue.push((BigInt(high) << 32n) | BigInt(low));
      else if ((high & VALUE.onOtherPages) !== 0) overflow(octets.readBigUInt64LE(data), low);
      else if (data + low > pageSize) throw new Damage(`page ${number} has no valid values`);
      else if ((high & VALUE.database) !== 0) {
        const root = rootOf(octets, data);
        if (root !== EMPTY) pageQueue.push(root);
      }
    }
  }
}

/** @throws Damage if the file ends before */
function read(descriptor: number, position: number, length: number): Buffer {
  const octets = Buffer.allocUnsafe(length);
  for (let at = 0; at < length; ) {
    const got = readSync(descriptor, octets, at, length - at, position + at);
    if (got === 0) throw new Damage(`it ends at octet ${position + at}`);
    at += got;
  }
  return octets;
}
