// Comments of RRsets in the PowerDNS API. The service keeps a comment for each record, so the comments of an RRset are
// the different ones of its records. Pure.
import { parseComment } from '#dns/comment.ts';
import type { ParsedRecord } from '#dns/record.ts';
import { clip } from '#dns/verdict.ts';
import { keyOfOctets } from '#dns/wire/octets.ts';
import { type Fields, readListField, refused, requireFields, requireText } from './read-fields.ts';

export interface CommentView {
  account: '';
  content: string;
  /** Seconds since 1970. The service keeps this time in the history only. */
  modified_at: 0;
}

export function commentViews(comments: readonly string[]): CommentView[] {
  return comments.map((content) => ({ account: '', content, modified_at: 0 }));
}

/** The different comments of an RRset of a request; null: it says nothing about comments. @throws Refusal */
export function commentsIn(fields: Fields, label: string): string[] | null {
  const commentList = readListField(fields, 'comments', label);
  if (commentList === null) return null;
  const texts = commentList.flatMap((each) => {
    const what = `Each comment of ${label}`;
    const comment = parseComment(requireText(requireFields(each, what), 'content', what));
    if (!comment.ok) throw refused(`${label} is not accepted: ${comment.problem.message}`);
    return comment.value ?? [];
  });
  return [...new Set(texts)];
}

/**
 * The records with the comments that a request wants. A comment stays at its record. A single new comment is that of
 * every record; several go to the records without one, in their order.
 * @param before the records as they are
 * @throws Refusal if there are more new comments than records for them
 */
export function withComments(
  records: readonly ParsedRecord[],
  before: readonly ParsedRecord[],
  wantedComments: readonly string[] | null,
): readonly ParsedRecord[] {
  if (wantedComments === null) return records;
  const storedComments = new Set(before.flatMap(({ comment }) => comment ?? []));
  const [only] = wantedComments;
  if (wantedComments.length === 1 && only !== undefined && !(storedComments.size === 1 && storedComments.has(only)))
    return records.map((record) => ({ ...record, comment: only }));
  const commentAt = new Map(before.map((each) => [keyOfOctets(each.wire), each.comment]));
  const wantedTexts = new Set(wantedComments);
  const keptComments = records.map((record) => {
    const comment = commentAt.get(keyOfOctets(record.wire)) ?? null;
    return comment !== null && wantedTexts.has(comment) ? comment : null;
  });
  const keptTexts = new Set(keptComments);
  const freeComments = wantedComments.filter((text) => !keptTexts.has(text));
  let next = 0;
  const commentedRecords = records.map((record, at) => ({
    ...record,
    comment: keptComments[at] ?? freeComments[next++] ?? null,
  }));
  // A client that copies what it read sends the comments of records that it removes.
  const lostComment = freeComments.slice(next).find((text) => !storedComments.has(text));
  if (lostComment === undefined || records.length === 0) return commentedRecords;
  throw refused(
    `Each record has one comment, and the RRset has more comments than records: ${clip(lostComment)} would be lost. Send at most as many comments as records.`,
  );
}
