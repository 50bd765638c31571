// Pieces that bodies of zones and of records share: the time to live, listing a page at a time, times. It must not know
// any resource.
import { z } from 'zod';
import { MAX_TTL, MIN_TTL } from '../../dns/record.ts';

const TTL_ERROR = `must be a whole number of seconds from ${MIN_TTL} to ${MAX_TTL}`;

export const ttl = z
  .int({ error: TTL_ERROR })
  .min(MIN_TTL, { error: TTL_ERROR })
  .max(MAX_TTL, { error: TTL_ERROR })
  .meta({ description: `Seconds, ${MIN_TTL} to ${MAX_TTL}.`, examples: [3600] });

/** A moment in ISO 8601, UTC. Plain text on purpose: a codec would put Date objects into what the server serialises. */
export const moment = z.string().meta({ format: 'date-time', examples: ['2026-11-21T10:31:00.000Z'] });

const LIMIT_ERROR = 'must be a whole number from 1 to 1000';

/** How many items one answer may hold, and where to go on. Without `limit` lists are complete. */
export const page = {
  limit: z.coerce
    .number({ error: LIMIT_ERROR })
    .int({ error: LIMIT_ERROR })
    .min(1, { error: LIMIT_ERROR })
    .max(1000, { error: LIMIT_ERROR })
    .optional()
    .meta({ description: 'At most this many items, 1 to 1000; the whole list when left out.' }),
  cursor: z
    .string()
    .min(1, { error: 'must be the `next` of an earlier answer' })
    .max(512, { error: 'must be the `next` of an earlier answer' })
    .optional()
    .meta({ description: 'The `next` of the answer before.' }),
};

/** The query of a list without filters. */
export const pageQuery = z.strictObject(page);

export const next = z.string().optional().meta({ description: 'Present when more items follow: send it as `cursor`.' });

/** As a header, and in a change of a batch. */
export const REQUEST_ID = /^[\w.:/-]{1,128}$/;

/** As a header, and in a change of a batch. */
export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;
/** As a header, and in a change of a batch: an object elsewhere, as its kind and its name there. */
export const MANAGED_BY = /^[\x21-\x7e]{1,63} [\x21-\x7e]{1,320}$/;
export const MANAGED_BY_RULE = 'must be a kind and a name, for instance "DNSRecord default/www"';
export const IDEMPOTENCY_KEY_RULE = 'must be 1 to 255 printable ASCII characters without spaces';
