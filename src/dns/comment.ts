// Comments of records and zones: a line of plain text for people. Name servers never see it. Pure.
import { accept, clip, refuse, type Verdict } from './verdict.ts';

/** The longest comment, in code points. */
export const MAX_COMMENT = 500;

// Control characters, the line separators of Unicode, halves of surrogate pairs, and characters that change the direction of the
// text that follows, which could disguise what a page shows next to the comment.
const REFUSED = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/**
 * Blanks at both ends are removed; a comment without anything else is none.
 * @param text null: no comment
 * @returns null: no comment
 */
export function parseComment(text: string | null): Verdict<string | null> {
  const comment = text?.trim() ?? '';
  if (comment === '') return accept(null);
  const wrong = REFUSED.exec(comment);
  if (wrong) {
    return refuse(
      'comment',
      `The comment ${clip(comment)} has the character ${codeOf(wrong[0])}; write one line of plain text, without control characters.`,
    );
  }
  const length = [...comment].length;
  if (length <= MAX_COMMENT) return accept(comment);
  return refuse('comment', `The comment has ${length} characters; write at most ${MAX_COMMENT}.`);
}

function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
