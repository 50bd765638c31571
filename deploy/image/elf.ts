// The dynamic section of programs and libraries (elf(5)), read without running anything: the loader of this machine can
// tell the libraries of its own architecture only.
import { type FileHandle, open } from 'node:fs/promises';

export interface Elf {
  /** e_machine. */
  machine: number;
  /** False for a static program. */
  dynamic: boolean;
  /** Names of libraries, in the order of the file. */
  needed: readonly string[];
  /** Folders of its own libraries, with $ORIGIN for its own folder. */
  runpath: readonly string[];
}

const HEADER_BYTES = 64;
const PROGRAM_HEADER_BYTES = 56;
const [LOAD, DYNAMIC] = [1, 2];
const [NEEDED, STRING_TABLE, STRING_BYTES, RPATH, RUNPATH] = [1, 5, 10, 15, 29];

interface Segment {
  type: number;
  /** In the file. */
  offset: number;
  /** In memory. */
  address: number;
  bytes: number;
}

/**
 * undefined for a file that is not ELF, such as a script.
 * @throws Error for a file that ends early, for one of 32 bits, and for one with DT_RPATH, whose meaning depends on the
 * program that loads it
 */
export async function readElf(file: string): Promise<Elf | undefined> {
  const handle = await open(file);
  try {
    const { bytesRead, buffer: header } = await handle.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
    if (bytesRead < 4 || header.toString('latin1', 0, 4) !== '\x7fELF') return undefined;
    // EI_CLASS 2: 64 bits. EI_DATA 1: little endian.
    if (bytesRead < HEADER_BYTES || header[4] !== 2 || header[5] !== 1)
      throw new Error(`${file} is not a program of 64 bits in little endian`);
    const segments = await readSegments(handle, header, file);
    const dynamic = segments.find(({ type }) => type === DYNAMIC);
    const machine = header.readUInt16LE(18);
    if (dynamic === undefined) return { machine, dynamic: false, needed: [], runpath: [] };
    const entries = readEntries(await readAt(handle, dynamic.offset, dynamic.bytes, file));
    const values = (tag: number) => entries.flatMap((entry) => (entry.tag === tag ? [entry.value] : []));
    if (values(RPATH).length > 0) throw new Error(`${file} has DT_RPATH, where DT_RUNPATH is expected`);
    const [[address = 0], [length = 0]] = [values(STRING_TABLE), values(STRING_BYTES)];
    const strings = await readAt(handle, findOffset(segments, address, file), length, file);
    const text = (at: number) => strings.toString('utf8', at, strings.indexOf(0, at));
    const runpath = values(RUNPATH).flatMap((at) => text(at).split(':'));
    return { machine, dynamic: true, needed: values(NEEDED).map(text), runpath };
  } finally {
    await handle.close();
  }
}

async function readSegments(handle: FileHandle, header: Buffer, file: string): Promise<Segment[]> {
  const count = header.readUInt16LE(56);
  const table = await readAt(handle, Number(header.readBigUInt64LE(32)), count * PROGRAM_HEADER_BYTES, file);
  return Array.from({ length: count }, (_, index) => {
    const at = index * PROGRAM_HEADER_BYTES;
    const field = (offset: number) => Number(table.readBigUInt64LE(at + offset));
    return { type: table.readUInt32LE(at), offset: field(8), address: field(16), bytes: field(32) };
  });
}

function readEntries(section: Buffer): { tag: number; value: number }[] {
  return Array.from({ length: Math.floor(section.length / 16) }, (_, index) => ({
    tag: Number(section.readBigInt64LE(index * 16)),
    value: Number(section.readBigUInt64LE(index * 16 + 8)),
  }));
}

function findOffset(segments: readonly Segment[], address: number, file: string): number {
  const segment = segments.find(
    (each) => each.type === LOAD && address >= each.address && address < each.address + each.bytes,
  );
  if (segment === undefined) throw new Error(`${file} has a table of names that no part of the file holds`);
  return address - segment.address + segment.offset;
}

async function readAt(handle: FileHandle, position: number, length: number, file: string): Promise<Buffer> {
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, position);
  if (bytesRead < length) throw new Error(`${file} ends early: build again, or install its package again`);
  return buffer;
}
