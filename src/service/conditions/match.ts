// Lists of entity tags, and how they match (RFC 9110 section 13.1).
import type { RecordView, ZoneView } from '../zones/view.ts';
import { stripForm } from './tags.ts';

/** Entity tags as they were sent, with their quotes; `*`: any. */
export type TagList = '*' | readonly string[];

export interface TagCondition {
  /** The change is only made if the present state has one of these tags. */
  ifMatch: TagList | null;
  /** The change is only made if the present state has none of these tags. */
  ifNoneMatch: TagList | null;
  /** The field of the condition in a batch. Absent: the condition is a header. */
  field?: string;
}

/** The present state of something that a condition did not match. */
export interface Current {
  etag: string;
  record?: RecordView;
  zone?: ZoneView;
}

/** Whether a list of If-Match holds the tag: strong comparison, so a weak tag never matches. */
export function matchesTag(tags: TagList, tag: string): boolean {
  return tags === '*' || tags.some((each) => stripForm(each) === stripForm(tag));
}

/** Whether a list of If-None-Match holds the tag: weak comparison. @param tag with its form, which counts */
export function isAmong(tags: TagList, tag: string): boolean {
  return tags === '*' || tags.some((each) => each.replace(/^W\//, '') === tag);
}
