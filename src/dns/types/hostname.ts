/**
 * Host names as targets (contract V4 to V6): a target is always absolute, whether it is written with a final dot or
 * not.
 */
import { LDH, LDH_UNDERSCORE, looksLikeAddress, offendingLabel, toLabels } from '../names/labels.ts';
import { accept, clip, refuse, type Verdict } from '../verdict.ts';
import { nameToWire } from '../wire/octets.ts';

export interface HostTarget {
  /** As the API returns it: without final dot, but `.` and single labels keep theirs. */
  text: string;
  /** With final dot. */
  absolute: string;
  wire: Uint8Array;
  /** Without final dot; null for the root. */
  host: string | null;
}

export interface TargetRules {
  /** `host`: LDH of RFC 1123 (MX, NS, SRV). `any`: also underscores, and hyphens at the ends of labels. */
  syntax: 'host' | 'any';
  /** Whether `.` has a meaning for this type (null MX, service not offered, "this name"). */
  root: boolean;
}

const ROOT: HostTarget = { text: '.', absolute: '.', wire: nameToWire('.'), host: null };

/** Parses the target of a record; a problem names the field `content`. */
export function parseTarget(text: string, rules: TargetRules): Verdict<HostTarget> {
  const field = 'content';
  if (text === '.') {
    return rules.root ? accept(ROOT) : refuse(field, 'The root "." cannot be the target; name a host.');
  }
  const foreign = /[\s@:/\\"]/.exec(text)?.[0];
  if (foreign !== undefined) {
    return refuse(
      field,
      `The target ${clip(text)} contains ${clip(foreign)}; write a host name alone, such as "host.example.com".`,
    );
  }
  const absolute = text.endsWith('.');
  const labels = toLabels(absolute ? text.slice(0, -1) : text, field);
  if (!labels.ok) return labels;
  const bad = offendingLabel(labels.value, rules.syntax === 'host' ? LDH : LDH_UNDERSCORE);
  if (bad !== null) {
    const allowedCharacters =
      rules.syntax === 'host' ? 'letters, digits and inner hyphens' : 'letters, digits, "-" and "_"';
    return refuse(
      field,
      `The label ${clip(bad)} of the target ${clip(text)} is not accepted: use ${allowedCharacters}.`,
    );
  }
  if (looksLikeAddress(labels.value)) {
    return refuse(field, `The target ${clip(text)} reads as an IP address; name a host that has the address.`);
  }
  const host = labels.value.join('.');
  const single = labels.value.length === 1;
  if (single && !absolute) {
    return refuse(
      field,
      `The target ${clip(text)} is a single label: write the whole name, or ${clip(`${text}.`)} if the top-level name is meant.`,
    );
  }
  return accept({ text: single ? `${host}.` : host, absolute: `${host}.`, wire: nameToWire(host), host });
}
