// A node with a real knotd, whose api has a database that was restored to an earlier time: a zone that the database
// lacks is answered with its key until an administrator accepts its removal.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { adminAcceptRemovals, adminListNodes, adminReadHeld } from '#service/nodes/administration.ts';
import { createResolver } from '../../../support/dns/resolver.ts';
import { prepareRestoredNode } from '../../../support/knot/restored-node.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';

const { before, after, knot, node, restored } = await prepareRestoredNode();
const dns = createResolver({ address: '127.0.0.1', port: knot.port }, await temporaryFolder('restored'));

const heldZones = async () =>
  (await adminListNodes(after.database.url)).flatMap(({ held }) => held?.zones.map(({ name }) => name) ?? []);
const keyFiles = () => readdir(join(knot.folder.storage, 'keys', 'keys'));

test('A zone that a restored database lacks is answered and valid by its DS, over restarts, until its removal is accepted', async () => {
  await node.start();
  const zone = await before.zone();
  const { zoneName } = zone;
  await before.record(zone, 'www', 'A', '192.0.2.1');
  const [ds] = zone.ds;
  const anchor = { ds: `${ds?.keyTag} ${ds?.algorithm} ${ds?.digestType} ${ds?.digest}` };
  const isServed = async () => {
    const { state, records } = await dns.delv(zoneName, `www.${zoneName}`, 'A', anchor);
    return state === 'secure' && records.some((each) => each.endsWith('192.0.2.1'));
  };
  await expect.poll(isServed).toBe(true);
  await node.stop();

  await restored.start();
  await expect.poll(heldZones).toEqual([zoneName]);
  expect(await restored.metric('node_zones_unlisted')).toBe(1);
  expect(await isServed()).toBe(true);
  await restored.stop('SIGKILL');
  await knot.restart('SIGKILL');
  await restored.start();
  await expect.poll(() => restored.metric('node_zones_unlisted')).toBe(1);
  await expect.poll(isServed).toBe(true);
  expect(await keyFiles()).toHaveLength(1);

  expect(await adminReadHeld(after.database.url)).toEqual({ names: [zoneName], count: 1, living: 1 });
  await adminAcceptRemovals(after.database.url, new Date());
  await expect.poll(() => restored.metric('node_zones_unlisted')).toBe(0);
  await expect.poll(keyFiles).toEqual([]);
  await expect.poll(heldZones).toEqual([]);
  expect(await restored.log()).toContain('its list lacks zones of this node');
});
