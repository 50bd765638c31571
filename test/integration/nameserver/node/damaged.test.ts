// Damaged databases of knotd, with a real api, node and knotd: after the next start of knotd, every zone is answered
// and signed again, and changes arrive.
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test, vi } from 'vitest';
import type { ZoneCreated } from '#contract/zone.ts';
import { databaseFile, type KnotDatabase } from '#nameserver/knot/damaged.ts';
import { adminMintNodeKey } from '#service/nodes/administration.ts';
import { createResolver } from '../../../support/dns/resolver.ts';
import { testKnot } from '../../../support/knot/knot.ts';
import { nodeProcess } from '../../../support/knot/node-process.ts';
import { startTestService } from '../../../support/service/service.ts';

const PAGE = 4096;
const ZONES = 3;

const [service, knot] = await Promise.all([startTestService({ nameserver: false }), testKnot()]);
const key = await adminMintNodeKey(service.database.url, 'ns1', {}, randomBytes, new Date());
const node = await nodeProcess(service.url, key.text, 'ns1', knot);
const resolver = createResolver(knot, knot.folder.root);
const zones: ZoneCreated[] = [];
let changes = 0;

const signed = (name: string) => resolver.dig('+dnssec', name, 'A').catch(() => '');
const answered = (zone: ZoneCreated, name: string, address: string) =>
  vi.waitFor(
    async () =>
      expect(await signed(`${name}.${zone.zoneName}`)).toMatch(new RegExp(`\\s${address}\\n.*RRSIG\\s+A 13 `)),
    { timeout: 60_000, interval: 50 },
  );

/** All zones are answered with their signatures, and a change of one of them arrives. */
async function allServed(): Promise<void> {
  for (const zone of zones) await answered(zone, 'www', '192.0.2.1');
  changes += 1;
  const changed = zones[changes % ZONES]!;
  await service.record(changed, `n${changes}`, 'A', `198.51.100.${changes}`);
  await answered(changed, `n${changes}`, `198.51.100.${changes}`);
  await vi.waitFor(async () => expect(await node.metric('node_zones_failing')).toBe(0), { timeout: 60_000 });
}

/** The journal is a sparse file of 20 GB. */
const beginningOf = (file: string, length: number): Buffer => {
  const descriptor = openSync(file, 'r');
  const octets = Buffer.alloc(length);
  const read = readSync(descriptor, octets, 0, length, 0);
  closeSync(descriptor);
  return octets.subarray(0, read);
};

const overwrite = (file: string, from: number, contents: (length: number) => Buffer): void => {
  const descriptor = openSync(file, 'r+');
  const { blocks } = fstatSync(descriptor);
  const octets = contents(Math.max(blocks * 512, from + PAGE) - from);
  writeSync(descriptor, octets, 0, octets.length, from);
  closeSync(descriptor);
};

beforeAll(async () => {
  await node.start();
  for (let at = 0; at < ZONES; at++) zones.push(await service.zone());
  for (const zone of zones) await service.record(zone, 'www', 'A', '192.0.2.1');
  await allServed();
});

const garbage = (from: number) => (file: string) => overwrite(file, from, (length) => randomBytes(length));
const zeros = (from: number) => (file: string) => overwrite(file, from, (length) => Buffer.alloc(length));
const truncated = (length: number) => (file: string) => truncateSync(file, length);

test.each<[string, Partial<Record<KnotDatabase, (file: string) => void>>]>([
  ['a journal with garbage and timers of zeros are', { journal: garbage(2 * PAGE), timers: zeros(2 * PAGE) }],
  [
    'a truncated journal and a key database with garbage are',
    { journal: truncated(3 * PAGE), keys: garbage(2 * PAGE) },
  ],
  ['a truncated configuration is', { configuration: truncated(10_000) }],
])('%s set aside, and everything is served again', { timeout: 300_000 }, async (_, damages) => {
  // Knot writes the timers when it ends.
  await knot.part.stop({ signal: 'timers' in damages ? 'SIGTERM' : 'SIGKILL' });
  const broken = Object.entries(damages).map(([database, damage]) => {
    const file = databaseFile(knot.folder, database as KnotDatabase);
    damage(file);
    return { database, file, contents: beginningOf(file, 20_000) };
  });
  knot.warnings.length = 0;
  await knot.restart('SIGKILL');
  expect(knot.warnings).toHaveLength(broken.length);
  for (const [at, { database, file, contents }] of broken.entries()) {
    expect(knot.warnings[at]).toMatch(`The ${database} database ${file} is damaged: `);
    expect(beginningOf(`${file}.damaged`, 20_000).equals(contents)).toBe(true);
  }
  await allServed();
});

test('key files that are gone or damaged are written again', async () => {
  const folder = join(knot.folder.storage, 'keys', 'keys');
  const files = readdirSync(folder).map((file) => join(folder, file));
  expect(files.length).toBeGreaterThanOrEqual(ZONES);
  await knot.part.stop({ signal: 'SIGKILL' });
  for (const [at, file] of files.entries()) {
    if (at % 2 === 0) rmSync(file);
    else writeFileSync(file, 'no key');
  }
  knot.warnings.length = 0;
  await knot.restart('SIGKILL');
  expect(knot.warnings).toEqual([]);
  await allServed();
});

test('damage within the values of the journal concerns only the zones that it hits', async () => {
  const file = databaseFile(knot.folder, 'journal');
  await knot.part.stop({ signal: 'SIGKILL' });
  const { zoneName } = zones[0]!;
  const wire = Buffer.concat(
    zoneName.split('.').flatMap((label: string) => [Buffer.from([label.length]), Buffer.from(label)]),
  );
  const name = Buffer.concat([wire, Buffer.alloc(1)]);
  const contents = beginningOf(file, 4 * 1024 * 1024);
  const descriptor = openSync(file, 'r+');
  // The type after each owner name of the zone. Elsewhere, for instance in keys of the database, no class follows.
  const IN = 1;
  let hits = 0;
  for (let at = contents.indexOf(name); at >= 0; at = contents.indexOf(name, at + 1)) {
    const type = at + name.length;
    if (type + 4 > contents.length || contents.readUInt16BE(type + 2) !== IN) continue;
    writeSync(descriptor, Buffer.from([0, 0]), 0, 2, type);
    hits += 1;
  }
  closeSync(descriptor);
  expect(hits).toBeGreaterThan(0);
  knot.warnings.length = 0;
  await knot.restart('SIGKILL');
  expect(knot.warnings).toEqual([]);
  await allServed();
});

test('a journal that is damaged while knotd runs is an error that says what to do, and queries are answered', async () => {
  // With garbage, knotd may also end.
  zeros(2 * PAGE)(databaseFile(knot.folder, 'journal'));
  await service.record(zones[1]!, 'late', 'A', '192.0.2.9');
  const error = async () => (await service.sql`select failing from nodes`)[0]?.failing?.[0]?.error;
  await expect.poll(error, { timeout: 60_000 }).toMatch(/MDB_.* a database of knotd is damaged. Restart knotd/);
  for (const zone of zones) await answered(zone, 'www', '192.0.2.1');
  await knot.restart('SIGKILL');
  await answered(zones[1]!, 'late', '192.0.2.9');
  await allServed();
});
