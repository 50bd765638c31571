// Counts the reads of each key (src/http/load/read-limit.ts), for all protocols over HTTP.
//
//   zonestead_api_reads_limited_total     reads that the limit refused
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { refusal } from '#service/refusal.ts';
import type { Metrics } from '#telemetry/metrics.ts';
import { createReadBuckets, type ReadLimit } from '../load/read-limit.ts';

/** @param perMinute reads that a key may make in a minute; null: any number */
export function openReadLimit(perMinute: number | null, metrics: Metrics): ReadLimit {
  const refusals = metrics.counter({
    name: 'api_reads_limited_total',
    help: 'Reads that were refused with 429 because their key made too many.',
  });
  refusals.inc(0);
  if (perMinute === null) return { take: () => undefined, charge: () => undefined };
  const buckets = createReadBuckets(perMinute, Date.now);
  return {
    take(keyId) {
      const retryAfterMs = buckets.take(keyId);
      if (retryAfterMs === 0) return;
      refusals.inc();
      throw refusal('too-many-reads', { burst: buckets.burst, limit: perMinute }, { retryAfterMs });
    },
    charge: buckets.charge,
  };
}

/** To be called before the routes are registered. It acts after the key is known, and before a body is read. */
export function limitReads(app: FastifyInstance, limit: ReadLimit): void {
  const bytesBefore = new WeakMap<FastifyRequest, number>();
  const isRead = ({ actor, routeOptions }: FastifyRequest) =>
    actor !== null && routeOptions.config.counts === undefined;
  app.addHook('preParsing', async (request, _reply, payload) => {
    if (request.actor === null || !isRead(request)) return payload;
    limit.take(request.actor.keyId);
    bytesBefore.set(request, request.socket.bytesWritten);
    return payload;
  });
  app.addHook('onResponse', async (request) => {
    const before = bytesBefore.get(request);
    if (request.actor === null || before === undefined) return;
    limit.charge(request.actor.keyId, request.socket.bytesWritten - before);
  });
}
