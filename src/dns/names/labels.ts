/**
 * Splits a name into labels: IDNA and the lengths of RFC 1035 section 2.3.4. The caller decides which characters a
 * label may contain, because owner names, host names and zone names differ.
 */
import tr46 from 'tr46';
import { accept, clip, refuse, type Verdict } from '../verdict.ts';

/** The longest name in text form without a final dot: 255 octets on the wire (RFC 1035 section 2.3.4). */
export const MAX_NAME = 253;
const MAX_LABEL = 63;
/** A U-label may be longer than its A-label in UTF-16 units; four times the limit bounds the work UTS 46 may cause. */
export const MAX_TEXT = 4 * MAX_NAME;

/** RFC 1123 section 2.1: letters, digits and inner hyphens. */
export const LDH = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;
/** Service labels (RFC 8552) and the hyphens at label ends that some networks really publish. */
export const LDH_UNDERSCORE = /^[a-z0-9_-]+$/;

/** UTS 46 lets these three stand for the dot (section 4, step 2). */
const OTHER_DOTS = /[\u3002\uff0e\uff61]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the class of ASCII characters begins with the controls.
const ASCII = /^[\u0000-\u007f]*$/;

/**
 * The lower-case A-labels of a name written without a final dot. Characters are not judged beyond IDNA.
 * `field` is the input field that a problem names.
 */
export function toLabels(text: string, field: string): Verdict<string[]> {
  if (text === '') return refuse(field, 'The name is empty.');
  if (text.length > MAX_TEXT) return refuse(field, `The name has ${text.length} characters; at most ${MAX_NAME} fit.`);
  const labels: string[] = [];
  for (const raw of text.replace(OTHER_DOTS, '.').split('.')) {
    if (raw === '') return refuse(field, `${clip(text)} has an empty label: remove the extra dot.`);
    const label = toALabel(raw);
    if (label === null) {
      const form = /^xn--/i.test(raw)
        ? 'begins with xn--, and is not Punycode; write it in Unicode, such as bücher, or as an A-label, such as xn--bcher-kva'
        : 'is not a valid internationalized label (UTS 46)';
      return refuse(field, `The label ${clip(raw)} ${form}.`);
    }
    if (label.length > MAX_LABEL) {
      return refuse(field, `The label ${clip(raw)} has ${label.length} octets; a label has at most ${MAX_LABEL}.`);
    }
    labels.push(label);
  }
  const length = labels.reduce((sum, label) => sum + label.length + 1, -1);
  if (length > MAX_NAME) return refuse(field, `The name has ${length} octets; a name has at most ${MAX_NAME}.`);
  return accept(labels);
}

/**
 * UTS 46 is applied to each label and not to the name as a whole: the Bidi rule (RFC 5893) would otherwise refuse
 * `_acme-challenge` in front of a Hebrew or Arabic name. Returns null for a label that UTS 46 refuses, including fake
 * A-labels (`xn--` without valid Punycode).
 */
function toALabel(raw: string): string | null {
  if (ASCII.test(raw) && !/^xn--/i.test(raw)) return raw.toLowerCase();
  const label = tr46.toASCII(raw, {
    checkBidi: true,
    checkJoiners: true,
    checkHyphens: false,
    useSTD3ASCIIRules: false,
    transitionalProcessing: false,
    verifyDNSLength: false,
  });
  // UTS 46 drops ignorable characters: the result may be empty, and a dot would split one label into two.
  return label === null || label === '' || label.includes('.') ? null : label;
}

/** The first label that does not match `allowedPattern`, or null. */
export function offendingLabel(labels: readonly string[], allowedPattern: RegExp): string | null {
  return labels.find((label) => !allowedPattern.test(label)) ?? null;
}

/** Four decimal numbers and nothing else, or any other name that reads as a (shortened) IPv4 address. */
export function looksLikeAddress(labels: readonly string[]): boolean {
  return labels.length > 1 && labels.every((label) => /^[0-9]+$/.test(label));
}
