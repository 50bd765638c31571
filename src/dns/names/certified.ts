/**
 * The names by which a pattern judges a record. A certificate authority (CA) takes some records as a proof of control
 * over another name: TXT at `_acme-challenge.dev` is a certificate for `dev` and `*.dev`. So a pattern such as `*.dev`,
 * which does not permit `dev`, must not permit `_acme-challenge.dev` either. The matchers of grants and of keys both
 * ask here.
 *
 * - A name at or below `_acme-challenge` or `_validation-persist` is judged by the name after that label, for every
 *   type. This includes `_<account>._acme-challenge.dev` (draft-ietf-acme-dns-account-label) and a delegation or
 *   redirection of the names.
 * - Another name that begins with `_` is judged by the rest, for the types by which CAs prove control: they take TXT,
 *   CNAME and CAA at any such label, and TXT at `_validation-contactemail` (CA/Browser Forum Baseline Requirements
 *   3.2.2.4.7, 3.2.2.4.14). SRV, TLSA and others are judged by their own name, and so is `_sip._tcp.dev`: no
 *   certificate has the name `_tcp.dev`.
 * - A wildcard answers for `_acme-challenge.dev` until that name exists (RFC 4592 section 3.3.1). So `*.dev` with one
 *   of these types needs the permission for `dev` as well. Addresses at a wildcard prove nothing about `dev`.
 *
 * A pattern that spells the label, such as `_acme-challenge.*`, permits these names explicitly.
 */
import type { RecordType } from '../types/record-type.ts';
import { matchesPattern } from './pattern.ts';

/** A name that a pattern must permit. */
export interface JudgedName {
  /** Relative to the zone, `@` for the apex. */
  readonly name: string;
  /** Set if the record has another name, which proves control over `name`. */
  readonly proof?: { readonly before: string; readonly label: string; readonly after: string };
}

export const CHALLENGE_LABEL = '_acme-challenge';
/** The longest spelling of a name that a request can have, in characters: each octet as `\\DDD`. */
const MAX_NAME = 1_024;
const PERSISTENT_LABEL = '_validation-persist';
/** Labels that exist only for proofs. */
export const PROOF_LABELS: readonly string[] = [CHALLENGE_LABEL, PERSISTENT_LABEL];

/** Types that prove control, or that lead a CA to such a record. */
const PROOF_TYPES: ReadonlySet<RecordType> = new Set(['TXT', 'CNAME', 'CAA', 'NS', 'DNAME']);

/**
 * All names that must be permitted for the record: one, or two for a wildcard.
 * @param name canonical and relative to the zone
 */
export function judgedNames(name: string, type: RecordType): readonly JudgedName[] {
  const labels = name.split('.');
  const at = labels.findLastIndex((label) => PROOF_LABELS.includes(label));
  if (at >= 0) return [provenBy(labels, at)];
  const [first = '', second = ''] = labels;
  if (!PROOF_TYPES.has(type) || second.startsWith('_')) return [{ name }];
  if (first.startsWith('_')) return [provenBy(labels, 0)];
  return first === '*' ? [{ name }, { name: labels.slice(1).join('.') || '@' }] : [{ name }];
}

/**
 * The name that a challenge record proves control of (RFC 8555 section 8.4, dns-account-01); undefined: it is not one.
 */
export function challengedName(name: string): JudgedName | undefined {
  const [judgedName] = judgedNames(name, 'TXT');
  const isChallenge = judgedName?.proof?.label === CHALLENGE_LABEL && /^(_[^.]+\.)?$/.test(judgedName.proof.before);
  return isChallenge ? judgedName : undefined;
}

/**
 * Whether a request names the TXT record of a challenge, in any spelling. The service counts these in a window of their
 * own, so no other record may pass for one.
 */
export function isChallengeRecord(named: unknown): boolean {
  const { name, type } = (named ?? {}) as { name?: unknown; type?: unknown };
  if (typeof name !== 'string' || typeof type !== 'string' || type.toUpperCase() !== 'TXT') return false;
  return name.length <= MAX_NAME && challengedName(name.toLowerCase()) !== undefined;
}

/** How many of the records of a request are those of challenges. */
export function countChallenges(records: unknown): number {
  return Array.isArray(records) ? records.filter(isChallengeRecord).length : 0;
}

function provenBy(labels: readonly string[], at: number): JudgedName {
  const rest = labels.slice(at + 1).join('.');
  return {
    name: rest || '@',
    proof: {
      before: labels
        .slice(0, at)
        .map((label) => `${label}.`)
        .join(''),
      label: labels[at] ?? '',
      after: rest && `.${rest}`,
    },
  };
}

/** Whether the pattern, canonical and relative to the zone, permits the name. */
export function permitsName(pattern: string, judgedName: JudgedName): boolean {
  return (
    matchesPattern(pattern, judgedName.name) ||
    (judgedName.proof !== undefined && spellsProof(pattern, judgedName.proof))
  );
}

/**
 * Whether the pattern permits the name of the record itself. If the record proves control over another name, it must
 * spell the label.
 */
export function spellsName(pattern: string, { name, proof }: JudgedName): boolean {
  return proof === undefined ? matchesPattern(pattern, name) : spellsProof(pattern, proof);
}

/** Whether the pattern matches the name of the record with the label as its own text, so not by `*`. */
function spellsProof(pattern: string, { before, label, after }: NonNullable<JudgedName['proof']>): boolean {
  for (let at = pattern.indexOf(label); at >= 0; at = pattern.indexOf(label, at + 1)) {
    if (matchesPattern(pattern.slice(0, at), before) && matchesPattern(pattern.slice(at + label.length), after))
      return true;
  }
  return false;
}
