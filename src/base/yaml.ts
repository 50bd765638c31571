// The one writer of YAML. Its readers are YAML 1.1 (kubectl, Helm, Flux, Argo CD), for which U+0085, U+2028 and U+2029
// are line breaks, so a text with such a character could end its line and begin fields, or a whole object, of its
// author's choice.
import { Document, isScalar, visit } from 'yaml';
import { escapeCharacter, UNPRINTABLE } from './printable.ts';

/** YAML 1.1 quotes texts that would be read as a time or a boolean. Lines are not folded. */
const OPTIONS = { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false } as const;

/** Texts with such characters, and texts that another reader could take for a number or a time, such as 0o7. */
const SPECIAL = new RegExp(`[${UNPRINTABLE}]|^[-+]?\\.?[0-9][\\w+-]*(?:\\.[\\w+-]*)?$`, 'u');
/** All but the line breaks of the writer itself. */
const UNESCAPED = new RegExp(`(?!\\n)[${UNPRINTABLE}]`, 'gu');

/**
 * A document without a final line break. A text with a character that is not printed, a line break included, is a
 * double-quoted scalar with escapes, so every reader finds the value and nothing more. Pure.
 * @param value as JSON has it: undefined fields are omitted, and a date is a text
 */
export function toYaml(value: unknown): string {
  const document = new Document(JSON.parse(JSON.stringify(value)), OPTIONS);
  visit(document, {
    Scalar(_, node) {
      if (!isScalar(node) || typeof node.value !== 'string' || !SPECIAL.test(node.value)) return;
      node.value = node.value.toWellFormed();
      node.type = 'QUOTE_DOUBLE';
    },
  });
  // The library escapes some of these characters only. They are in double-quoted scalars, where each may be an escape.
  return document.toString(OPTIONS).replace(/\n$/, '').replaceAll(UNESCAPED, escapeCharacter);
}
