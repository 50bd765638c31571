// Comments of records and zones: a line of plain text for people. Name servers never see it. Pure.
import { findSpecialCharacter, formatCodePoint } from './plain-text.ts';
import { accept, clip, refuse, type Verdict } from './verdict.ts';

/** The longest comment, in code points. */
export const MAX_COMMENT = 500;

/**
 * Blanks at both ends are removed; a comment without anything else is none.
 * @param text null: no comment
 * @returns null: no comment
 */
export function parseComment(text: string | null): Verdict<string | null> {
  const comment = text?.trim() ?? '';
  if (comment === '') return accept(null);
  const wrong = findSpecialCharacter(comment);
  if (wrong !== null) {
    return refuse(
      'comment',
      `The comment ${clip(comment)} has the character ${formatCodePoint(wrong)}; write one line of plain text, without control characters.`,
    );
  }
  const length = [...comment].length;
  if (length <= MAX_COMMENT) return accept(comment);
  return refuse('comment', `The comment has ${length} characters; write at most ${MAX_COMMENT}.`);
}
