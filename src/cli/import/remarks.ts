// Remarks of an import as lines for people. Their text is of the source, so it is cut off and escaped. Pure.
import { shownText } from '#base/printable.ts';
import type { ReadZone, Remark } from './read.ts';

/** Characters of a place, and of a message, that a line shows. */
const MAX_PLACE = 120;
const MAX_MESSAGE = 500;

export function remarkLine({ place, message }: Remark): string {
  return `${shownText(place, MAX_PLACE)}: ${shownText(message, MAX_MESSAGE)}`;
}

/** All remarks on a zone, in the order of their weight. */
export function remarkLines({ refused, skipped, notes }: Pick<ReadZone, 'refused' | 'skipped' | 'notes'>): string[] {
  const kinds = { Refused: refused, Skipped: skipped, Note: notes };
  return Object.entries(kinds).flatMap(([kind, remarks]) => remarks.map((each) => `${kind}: ${remarkLine(each)}`));
}
