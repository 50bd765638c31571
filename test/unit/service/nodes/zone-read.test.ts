// Reads of one zone by a name server: each takes a place among the reads, and gives it back however it ends.
import { expect, test } from 'vitest';
import { Keyring } from '#base/keyring.ts';
import { type Feed, readDigest, readFeedZone } from '#service/nodes/feed.ts';
import { limitWork } from '#service/permits.ts';
import { createMemorySource } from '../../../support/feed/memory-source.ts';

function feedOf() {
  const source = createMemorySource();
  source.change('a', ['www', 'ftp']);
  const reads = limitWork({ total: 1, share: 1, waiting: 0, waitMs: 10, work: 'tests' });
  return {
    feed: { source, reads, keyring: new Keyring([]) } as unknown as Feed,
    isFree: () => reads.take('other').then((release) => release()),
  };
}
const signal = new AbortController().signal;

test('a reader that leaves before its first line gives the place back', async () => {
  const { feed, isFree } = feedOf();
  const leaving = new AbortController();
  await readFeedZone(feed, 'key', 'a', leaving.signal);
  await expect(isFree()).rejects.toMatchObject({ code: 'busy' });
  leaving.abort();
  await isFree();
});

test('a reader that leaves in the middle, a zone that does not exist and a digest give it back', async () => {
  const { feed, isFree } = feedOf();
  for await (const line of await readFeedZone(feed, 'key', 'a', signal)) {
    expect(JSON.parse(line)).toMatchObject({ kind: 'zone', id: 'a' });
    break;
  }
  await isFree();
  await expect(readFeedZone(feed, 'key', 'none', signal)).rejects.toMatchObject({ code: 'no_zone' });
  await isFree();
  expect(await readDigest(feed, 'key', 'a', signal)).toMatchObject({ id: 'a', sets: 2 });
  await isFree();
});
