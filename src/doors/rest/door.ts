// The REST API below /v1: the operations of the contract for keys and people, and those of the feed for name servers.
//
//     docs/reference/rest.md has the operations
import type { FastifyInstance } from 'fastify';
import { requireKey } from '#http/hooks/auth.ts';
import { requireProtection } from '#http/hooks/protected-feed.ts';
import { type DoorParts, openDoor } from '../door.ts';
import { accountRoutes } from './routes/account.ts';
import { batchRoutes } from './routes/batch.ts';
import { changeRoutes } from './routes/changes.ts';
import { checkRoutes } from './routes/checks.ts';
import { clusterRoutes } from './routes/clusters.ts';
import { danglingRoutes } from './routes/dangling.ts';
import { feedRoutes } from './routes/feed.ts';
import { ownerRoutes } from './routes/owners.ts';
import { recordRoutes } from './routes/records.ts';
import { secondaryRoutes } from './routes/secondaries.ts';
import { undoRoutes } from './routes/undo.ts';
import { zoneKeyRoutes } from './routes/zone-keys.ts';
import { zoneNodeRoutes } from './routes/zone-nodes.ts';
import { zoneFileRoutes } from './routes/zonefile.ts';
import { zoneRoutes } from './routes/zones.ts';

const PREFIX = '/v1';

export function openRest(app: FastifyInstance, parts: DoorParts): void {
  const { context, writeLimits, feed } = parts;
  openDoor(app, parts, {
    prefix: PREFIX,
    routes: async (v1) => {
      v1.addHook('onRequest', requireKey(context));
      await v1.register(
        async (dns) => {
          zoneRoutes(dns, context);
          zoneKeyRoutes(dns, context);
          recordRoutes(dns, context);
          batchRoutes(dns, context);
          ownerRoutes(dns, context);
          danglingRoutes(dns, context);
          changeRoutes(dns, context);
          undoRoutes(dns, context);
          zoneNodeRoutes(dns, context, feed);
          secondaryRoutes(dns, context);
          // A scope of its own, because it reads zone files.
          await dns.register(async (files) => zoneFileRoutes(files, context));
        },
        { prefix: '/dns' },
      );
      checkRoutes(v1, context);
      clusterRoutes(v1, context);
      await v1.register(async (account) => accountRoutes(account, context, writeLimits));
    },
  });
}

/** @param isPlain whether private keys may leave over connections that are not protected */
export function openFeed(app: FastifyInstance, parts: DoorParts, isPlain: boolean): void {
  const { context, isTrusted, proxyHeader, feed } = parts;
  const protection = isPlain ? async () => undefined : requireProtection(isTrusted, proxyHeader);
  openDoor(app, parts, {
    prefix: PREFIX,
    routes: (nodes) => feedRoutes(nodes, context, feed, protection),
  });
  if (feed === undefined) return;
  // Name servers must find another replica before this one waits for its requests in progress.
  app.addHook('preClose', async () => {
    await Promise.all([feed.hub.close(), feed.arrivals.close()]);
  });
}
