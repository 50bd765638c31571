/** Parses the content of a record of any type to the three forms of ParsedRdata. Each type has its own file. */
import { accept, refuse, type Verdict } from '../verdict.ts';
import { parseGeneric } from './generic.ts';
import { DEFAULT_MX_PRIORITY } from './mx.ts';
import { MAX_RDATA, MAX_RDATA_TEXT, type ParsedRdata, textTooLong, tooLong } from './rdata.ts';
import { isNamedType, type RecordType, TYPES } from './record-type.ts';

export { isRecordType } from './generic-type.ts';
export { MAX_RDATA, type ParsedRdata } from './rdata.ts';
export { RECORD_TYPES, type RecordType } from './record-type.ts';

/** Every octet of the largest TXT as `\DDD`, with quotes and blanks: more text cannot be valid. */
const MAX_CONTENT = 4 * MAX_RDATA + 1_024;

/** Parses a record's content; `priority` is for MX only, which takes 10 when it is omitted or null. */
export function parseRdata(
  type: RecordType,
  content: string,
  priority: number | null | undefined,
): Verdict<ParsedRdata> {
  const text = judgeText(type, content);
  if (!text.ok) return text;
  const preference = judgePriority(type, priority);
  if (!preference.ok) return preference;
  const parsed = isNamedType(type) ? TYPES[type].parse(content, preference.value) : parseGeneric(type, content);
  if (parsed.ok && parsed.value.wire.length > MAX_RDATA) return tooLong(parsed.value.wire.length);
  if (parsed.ok && parsed.value.rdata.length > MAX_RDATA_TEXT) return textTooLong(parsed.value.rdata.length);
  return parsed;
}

/**
 * Refuses content that no type accepts: none at all, far too much, control characters, half a surrogate pair (which has
 * no UTF-8 form).
 */
function judgeText(type: RecordType, content: string): Verdict<null> {
  if (content === '') {
    return refuse(
      'content',
      type === 'TXT' ? 'The content is empty; write "" in quotes for an empty text.' : 'The content is empty.',
    );
  }
  if (content.length > MAX_CONTENT) {
    return refuse('content', `The content has ${content.length} characters; at most ${MAX_CONTENT} are read.`);
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are looked for, without the tab.
  const control = /[\u0000-\u0008\u000a-\u001f\u007f]/.exec(content)?.[0];
  if (control !== undefined) {
    const code = control.charCodeAt(0);
    const hint =
      type === 'TXT' ? `; inside a quoted text write it as \\${String(code).padStart(3, '0')}` : '; remove it';
    return refuse('content', `The content holds the control character ${code}${hint}.`);
  }
  if (!content.isWellFormed()) {
    return refuse(
      'content',
      'The content holds half of a surrogate pair, which has no UTF-8 form; send well-formed Unicode.',
    );
  }
  return accept(null);
}

function judgePriority(type: RecordType, priority: number | null | undefined): Verdict<number> {
  if (priority === null || priority === undefined) return accept(DEFAULT_MX_PRIORITY);
  if (type !== 'MX') {
    return refuse('priority', `Only MX records have a priority; leave it out for ${type}.`);
  }
  if (!Number.isInteger(priority) || priority < 0 || priority > 65_535) {
    return refuse('priority', `The priority is ${String(priority)}; it must be a whole number from 0 to 65535.`);
  }
  return accept(priority);
}
