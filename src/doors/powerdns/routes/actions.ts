// The actions of PowerDNS on a zone. The service does all of them automatically after every change, so there is nothing
// left to do.
import type { FastifyInstance } from 'fastify';
import type { ServiceContext } from '#service/context.ts';
import { sendJson } from '../answers.ts';
import { findRequestedZone } from './zones.ts';

export function actionRoutes(app: FastifyInstance, context: ServiceContext): void {
  for (const [action, result] of [
    ['notify', 'Notification queued'],
    ['rectify', 'Rectified'],
  ] as const) {
    app.put(`/zones/:zone/${action}`, async (request, reply) => {
      await findRequestedZone(context, request);
      return sendJson(reply, { result });
    });
  }
}
