// Parts that several bodies share: the time to live, paging, times, and the headers that a change of a batch repeats.
import { z } from 'zod';
import { MAX_COMMENT } from '#dns/comment.ts';
import { MAX_TTL, MIN_TTL } from '#dns/record.ts';

const TTL_ERROR = `must be a whole number of seconds from ${MIN_TTL} to ${MAX_TTL}`;

export const ttl = z
  .int({ error: TTL_ERROR })
  .min(MIN_TTL, { error: TTL_ERROR })
  .max(MAX_TTL, { error: TTL_ERROR })
  .meta({ description: `The time to live in seconds, from ${MIN_TTL} to ${MAX_TTL}.`, examples: [3600] });

const COMMENT_ERROR = `must be a line of text of at most ${MAX_COMMENT} characters, or null for none`;

/**
 * A comment that a caller sends. #dns/comment.ts has the rules; schemas count characters in another way than JSON
 * Schema.
 */
export const newComment = z.string({ error: COMMENT_ERROR }).meta({ maxLength: MAX_COMMENT }).nullable().optional();

/** The entity tag in a body. */
export const etag = z.string().meta({
  description: 'The ETag of the object, with its quotation marks. Send it as If-Match or `ifMatch`.',
  examples: ['"q0Yh3mZ1vF8sLr2KxW9bTg"'],
});

const OWNER_ERROR = 'must be "org:<teamId>" or "personal"';

/** The owner that a caller names: a team, or the person. */
export const chosenOwner = z.string({ error: OWNER_ERROR }).max(128, { error: OWNER_ERROR });

/** The comment in an answer. */
export const comment = z
  .string()
  .optional()
  .meta({ description: 'A line of text for people, which is not in DNS. Absent if there is none.' });

/**
 * A time in ISO 8601, in UTC. It is a plain string because a codec would put Date objects into answers that the server
 * serialises.
 */
export const moment = z
  .string()
  .meta({ description: 'A time in ISO 8601, in UTC.', format: 'date-time', examples: ['2026-11-21T10:31:00.000Z'] });

const LIMIT_ERROR = 'must be a whole number from 1 to 1000';

/** The paging of a list. Without `limit`, a list is complete. */
export const page = {
  limit: z.coerce
    .number<number | string>({ error: LIMIT_ERROR })
    .int({ error: LIMIT_ERROR })
    .min(1, { error: LIMIT_ERROR })
    .max(1000, { error: LIMIT_ERROR })
    .optional()
    .meta({
      description:
        'The largest number of items in the answer, from 1 to 1000. If omitted, the answer is the complete list.',
    }),
  cursor: z
    .string()
    .min(1, { error: 'must be the "next" of an earlier answer' })
    .max(512, { error: 'must be the "next" of an earlier answer' })
    .optional()
    .meta({ description: 'The `next` of the previous answer, to read the page that follows it.' }),
};

/** The query of a list without filters. */
export const pageQuery = z.strictObject(page);

export const next = z
  .string()
  .optional()
  .meta({ description: 'Present if more items follow. Send it as `cursor` to read them.' });

/** A header of a request, and a field of a change in a batch. */
export const REQUEST_ID = /^[\w.:/-]{1,128}$/;

/** A header of a request, and a field of a change in a batch. */
export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;
/** A header of a request, and a field of a change in a batch: the kind and the name of an external object. */
export const MANAGED_BY = /^[\x21-\x7e]{1,63} [\x21-\x7e]{1,340}$/;
export const MANAGED_BY_RULE = 'must be a kind and a name, for instance "DNSZone default/site"';
export const ENTITY_TAGS_RULE =
  'must be "*", or one or more ETags as an answer had them, with their quotation marks and commas between them';
export const IDEMPOTENCY_KEY_RULE = 'must be 1 to 255 printable ASCII characters without spaces';

/** In the answer to a dry run. */
export const writeCost = z
  .object({
    writes: z
      .int()
      .meta({ description: 'The number of writes that the change counts in the write window of the key.' }),
    limit: z.int().meta({ description: 'The number of writes that the key may make in a window of 60 seconds.' }),
  })
  .meta({ id: 'WriteCost', description: 'The price of a change: at most half of the limit.' });

export type WriteCost = z.infer<typeof writeCost>;
