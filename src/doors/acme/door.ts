// The HTTP protocols that existing ACME clients use, below /acme: lego's httpreq and acme-dns. They call the service's
// own operations, with the same permissions, limits and errors. src/service/challenges defines a challenge.
import type { FastifyInstance } from 'fastify';
import { takeJson } from '#http/hooks/json-body.ts';
import { type DoorParts, openDoor } from '../door.ts';
import { acmeDnsRoutes } from './acme-dns/door.ts';
import { httpreqRoutes } from './httpreq/door.ts';
import { waitUntilServed } from './served.ts';

export function openAcme(app: FastifyInstance, parts: DoorParts): void {
  const { context, feed } = parts;
  openDoor(app, parts, {
    prefix: '/acme',
    routes: async (acme) => {
      acme.decorateRequest('basicUser', null);
      // Some clients (acme.sh through curl) send JSON with the content type of a form, or with none.
      takeJson(acme, '*');
      const served = waitUntilServed(context, feed?.arrivals);
      await acme.register(async (scope) => httpreqRoutes(scope, context, served), { prefix: '/httpreq' });
      await acme.register(async (scope) => acmeDnsRoutes(scope, context, served), { prefix: '/acme-dns' });
    },
  });
}
