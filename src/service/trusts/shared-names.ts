// Finds out whether the patterns of a trust give one name to the holders of different values: with `${a}-${b}`, `x-y`
// and `z` have the name of `x` and `y-z`, and with `${a}` and `api-${a}`, the value `api-x` has a name of the value
// `x`. Two patterns read a name side by side, character by character. If one of them reads a character as a part of a
// value where the other does not, the values can differ. A pattern also permits the names that prove control of its own
// (dns/names/certified.ts), so a pattern that spells the label of a proof, such as `_acme-challenge.` or `_dnsauth.`,
// is compared by the names behind that label as well. Pure.
import { PROOF_LABELS } from '#dns/names/certified.ts';
import { accept, clip, refuse, type Verdict } from '#dns/verdict.ts';
import { hasTemplate, splitTemplate } from './template.ts';

/** A character, any characters, or the characters of a value. */
type Piece = { readonly text: string } | { readonly star: true } | { readonly claim: string; readonly dots: boolean };

/**
 * The places in two patterns that are compared, so that long patterns delay no request. Patterns of people need
 * hundreds.
 */
const MAX_PLACES = 100_000;

/** @param patterns after judgeTemplate. Those without templates are for every holder */
export function judgeSharedNames(patterns: readonly string[]): Verdict<null> {
  const templates = patterns.filter(hasTemplate).flatMap((pattern) => [pattern, ...provenBy(pattern)]);
  const pieces = templates.map(splitPieces);
  const budget = { places: MAX_PLACES };
  for (const [at, one] of pieces.entries()) {
    for (const [other, second] of pieces.slice(0, at + 1).entries()) {
      const shared = shareName(one, second, budget);
      if (budget.places < 0) return refuse('onlyNames', 'the patterns with templates are too many, or too long.');
      if (shared) return refuse('onlyNames', sentence(templates[at] ?? '', templates[other] ?? ''));
    }
  }
  return accept(null);
}

/**
 * The labels of proofs that a pattern spells: `_acme-challenge` and `_validation-persist` anywhere, any other at the
 * beginning.
 */
const SPELLED = new RegExp(`(?:(?<=^|[.*])(?:${PROOF_LABELS.join('|')})|(?<=^\\**)_[a-z0-9_-]*)(?=[.*])`, 'g');

/** The names that the names of the pattern prove control of, as patterns with templates. */
function provenBy(pattern: string): string[] {
  const rests = [...pattern.matchAll(SPELLED)].map(({ 0: label, index }) => pattern.slice(index + label.length));
  return rests.flatMap(behindDot).filter(hasTemplate);
}

/** The patterns of the names that the pattern matches with a dot before them, without those that begin with `_`. */
function behindDot(rest: string): string[] {
  if (rest.startsWith('*')) return [rest, ...behindDot(rest.slice(1))];
  return rest.startsWith('.') && !rest.startsWith('._') ? [rest.slice(1)] : [];
}

function sentence(one: string, other: string): string {
  const requirement =
    'a dot or "_" between two templates, no "*" next to a template of several labels, and the templates of all patterns in the same label, counted from the same end';
  const which = one === other ? `${clip(one)} gives` : `${clip(other)} and ${clip(one)} give`;
  return `${which} one name to the holders of different values: use ${requirement}.`;
}

/** From the end, because `*` is at the beginning of most patterns, and patterns then differ after a few characters. */
function splitPieces(pattern: string): Piece[] {
  const pieces = splitTemplate(pattern).flatMap((part): Piece[] => {
    if (typeof part !== 'string') return [{ claim: part.claim, dots: part.severalLabels }];
    return [...part].map((text) => (text === '*' ? { star: true } : { text }));
  });
  return pieces.reverse();
}

/** Whether both match a name which they do not divide into the same values. */
function shareName(one: readonly Piece[], other: readonly Piece[], budget: { places: number }): boolean {
  const seenKeys = new Set<number>();
  const placeQueue: [at: number, to: number, differs: boolean][] = [[0, 0, false]];
  const visit = (at: number, to: number, differs: boolean) => {
    const key = (at * (other.length + 1) + to) * 2 + Number(differs);
    if (seenKeys.has(key)) return;
    seenKeys.add(key);
    budget.places -= 1;
    placeQueue.push([at, to, differs]);
  };
  for (let next = placeQueue.pop(); next !== undefined && budget.places >= 0; next = placeQueue.pop()) {
    const [at, to, differs] = next;
    const [first, second] = [one[at], other[to]];
    if (first === undefined && second === undefined && differs) return true;
    // A star, and a value that has begun, may end here.
    if (first !== undefined && 'star' in first) visit(at + 1, to, differs);
    if (second !== undefined && 'star' in second) visit(at, to + 1, differs);
    if (first === undefined || second === undefined || !canMeet(first, second)) continue;
    const isApart = differs || claimOf(first) !== claimOf(second);
    for (const a of stepsOf(first)) for (const b of stepsOf(second)) visit(at + a, to + b, isApart);
  }
  return false;
}

/** Whether both can read one character. Two values can, because both have letters. */
function canMeet(one: Piece, other: Piece): boolean {
  if ('text' in one) return reads(other, one.text);
  return !('text' in other) || reads(one, other.text);
}

function reads(piece: Piece, letter: string): boolean {
  if ('star' in piece) return true;
  if ('text' in piece) return piece.text === letter;
  return letter === '.' ? piece.dots : /[a-z0-9-]/.test(letter);
}

const claimOf = (piece: Piece) => ('claim' in piece ? piece.claim : null);
/** After a character, a text ends, a star continues, and a value may do either. */
const stepsOf = (piece: Piece) => ('text' in piece ? ENDS : 'star' in piece ? STAYS : EITHER);
const [ENDS, STAYS, EITHER] = [[1], [0], [0, 1]] as const;
