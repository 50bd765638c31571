// Conditional requests (RFC 9110 section 13): the headers If-Match and If-None-Match, and the ETag of answers.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ENTITY_TAGS_RULE } from '#contract/shared.ts';
import { isAmong, matchesTag, type TagCondition, type TagList } from '#service/conditions/match.ts';
import type { Caller } from '#service/context.ts';
import { refusal } from '#service/refusal.ts';
import { readCaller } from './auth.ts';

/** One entity tag (RFC 9110 section 8.8.3). */
const TAG = String.raw`(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"`;
const LIST = new RegExp(String.raw`^[ \t]*(?:${TAG}[ \t]*)?(?:,[ \t]*(?:${TAG}[ \t]*)?)*$`);

/** The form of a header with ETags, for the description of the API. */
export const TAGS_PATTERN = String.raw`^(\*|${TAG}([ \t]*,[ \t]*${TAG})*)$`;

/** The tags of a list; null: the text is none. An empty list is none either, because it would forbid every change. */
export function readTags(text: string): TagList | null {
  if (text.trim() === '*') return '*';
  if (!LIST.test(text)) return null;
  const tags = text.match(new RegExp(TAG, 'g')) ?? [];
  return tags.length === 0 ? null : tags;
}

/** The condition of a request; null without one. @throws Refusal bad_request */
export function readCondition(request: FastifyRequest): TagCondition | null {
  const ifMatch = readTagHeader(request, 'If-Match');
  const ifNoneMatch = readTagHeader(request, 'If-None-Match');
  return ifMatch === null && ifNoneMatch === null ? null : { ifMatch, ifNoneMatch };
}

function readTagHeader({ headers }: FastifyRequest, field: 'If-Match' | 'If-None-Match'): TagList | null {
  const text = headers[field.toLowerCase()];
  if (text === undefined) return null;
  const tags = readTags(String(text));
  if (tags === null) throw refusal('bad-header', { problem: ENTITY_TAGS_RULE }, { field });
  return tags;
}

/** The caller of a change that may have a condition. @throws as readCaller and readCondition */
export function readConditionalCaller(request: FastifyRequest): Caller {
  return { ...readCaller(request), condition: readCondition(request) };
}

/**
 * Adds the ETag to an answer. Another key may see another part of the same state, and a cache must ask before it uses
 * an answer.
 */
export function tagged(reply: FastifyReply, etag: string): FastifyReply {
  return reply.header('etag', etag).header('vary', 'authorization').header('cache-control', 'private, no-cache');
}

/**
 * Adds the ETag to the answer to a GET, and judges the condition of the request.
 * @returns whether the client has this state: the answer is then 304 without a body.
 * @throws Refusal precondition_failed, bad_request
 */
export function isKnown(request: FastifyRequest, reply: FastifyReply, etag: string): boolean {
  tagged(reply, etag);
  const condition = readCondition(request);
  if (condition === null) return false;
  const { ifMatch, ifNoneMatch } = condition;
  if (ifMatch !== null && !matchesTag(ifMatch, etag)) {
    throw refusal('changed-meanwhile', { what: 'The answer', etag }, { field: 'If-Match', current: { etag } });
  }
  return ifNoneMatch !== null && isAmong(ifNoneMatch, etag);
}
