// A knotd with a node that follows a service, and then another service that stands for its restored database.
import { randomBytes } from 'node:crypto';
import { adminEnsureNodeKey, adminMintNodeKey } from '#service/nodes/administration.ts';
import { startTestService } from '../service/service.ts';
import { testKnot } from './knot.ts';
import { nodeProcess } from './node-process.ts';

/**
 * To be called at the top of a test file. `node` follows the service `before`; `restored` has the state of that node
 * and the same key, and follows `after`, which is as if it was restored to the time before any change. Neither runs.
 */
export async function prepareRestoredNode() {
  const [before, after, knot] = await Promise.all([
    startTestService({ nameserver: false }),
    startTestService({ nameserver: false, warnings: ['two instances report'] }),
    testKnot(),
  ]);
  const { text: key } = await adminMintNodeKey(before.database.url, 'ns1', {}, randomBytes, new Date());
  await adminEnsureNodeKey(after.database.url, 'ns1', key, randomBytes, new Date());
  const node = await nodeProcess(before.url, key, 'ns1', knot);
  const restored = await nodeProcess(after.url, key, 'ns1', knot, { ZONESTEAD_NODE_STATE: node.folder });
  return { before, after, knot, key, node, restored };
}
