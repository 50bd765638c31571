// Templates in the patterns of names of a trust: `${claim}` stands for the value of a claim, which must be one DNS
// label, and `${claim|labels}` for one or several. Pure.
//
// No value can widen a pattern: a value has no `*`, and two values never make patterns that match the same name. So a
// label with a template has no `*`, and `*` is on one side of it only. A label that begins with `_` has no template
// either: with the value `acme-challenge`, `_${namespace}.dev` would prove control of `dev`. shared-names.ts compares
// all patterns of a trust.
import { accept, clip, refuse, type Verdict } from '#dns/verdict.ts';
import { PATTERN } from '../keys/patterns.ts';
import { claimAt, type Leaf } from './match.ts';

export interface Hole {
  /** As it is written. */
  claim: string;
  /** Whether the value may have dots. */
  severalLabels: boolean;
}
export type TemplatePart = string | Hole;

const HOLE = /\$\{([^{}|]{1,256})(\|labels)?\}/;
const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const ONE_LABEL = new RegExp(`^${LABEL}$`);
const SEVERAL_LABELS = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`);
/** As the longest pattern that a key can have. */
const MAX_NAME = 253;

/** Short forms of claims in the tokens of Kubernetes service accounts. */
const SHORT: Readonly<Record<string, string>> = {
  namespace: 'kubernetes.io.namespace',
  serviceaccount: 'kubernetes.io.serviceaccount.name',
};

export function hasTemplate(pattern: string): boolean {
  return pattern.includes('${');
}

/** The texts and the templates of a pattern. */
export function splitTemplate(pattern: string): TemplatePart[] {
  const match = HOLE.exec(pattern);
  if (match === null) return pattern === '' ? [] : [pattern];
  const [whole, claim = '', labels] = match;
  const hole = { claim, severalLabels: labels !== undefined };
  return [
    ...splitTemplate(pattern.slice(0, match.index)),
    hole,
    ...splitTemplate(pattern.slice(match.index + whole.length)),
  ];
}

/** The claims that a pattern has templates for. */
export function listClaims(pattern: string, leaves: readonly Leaf[]): Leaf[] {
  return splitTemplate(pattern).flatMap((part) =>
    typeof part === 'string' ? [] : (findDemandedLeaf(part, leaves) ?? []),
  );
}

/** The demanded claim that a template stands for. */
function findDemandedLeaf({ claim }: Hole, leaves: readonly Leaf[]): Leaf | undefined {
  const findLeaf = (text: string) => leaves.find(({ path }) => path.join('.') === text);
  return findLeaf(claim) ?? findLeaf(SHORT[claim] ?? '');
}

/** A pattern with templates, its other parts in lower case. @param leaves the claims that the trust demands */
export function judgeTemplate(pattern: string, leaves: readonly Leaf[], field: string): Verdict<string> {
  const parts = splitTemplate(pattern).map((part) => (typeof part === 'string' ? part.toLowerCase() : part));
  const sample = parts.map((part) => (typeof part === 'string' ? part : 'x')).join('');
  if (!PATTERN.test(sample) || sample.endsWith('.')) {
    return refuse(
      field,
      `${clip(pattern)} is not a pattern of names: besides templates such as \${namespace}, use letters, digits, "-", "_" and ".", "*" for any run of characters.`,
    );
  }
  for (const part of parts) {
    if (typeof part === 'string' || findDemandedLeaf(part, leaves) !== undefined) continue;
    return refuse(
      field,
      `\${${part.claim}} stands for a claim that "match" does not demand: add it there, with "*" if any value is accepted.`,
    );
  }
  const problem = problemOfStars(parts) ?? problemOfProofs(parts);
  if (problem !== null) return refuse(field, `${clip(pattern)} ${problem}`);
  return accept(parts.map((part) => (typeof part === 'string' ? part : writeHole(part))).join(''));
}

const writeHole = ({ claim, severalLabels }: Hole) => `\${${claim}${severalLabels ? '|labels' : ''}}`;

function problemOfStars(parts: readonly TemplatePart[]): string | null {
  const markedPattern = parts.map((part) => (typeof part === 'string' ? part : '$')).join('');
  if (markedPattern.split('.').some((label) => label.includes('$') && label.includes('*'))) {
    return 'has "*" in the label of a template: separate them by a dot, so that one value cannot match the names of another.';
  }
  for (let at = markedPattern.indexOf('$'); at >= 0; at = markedPattern.indexOf('$', at + 1)) {
    if (markedPattern.slice(0, at).includes('*') && markedPattern.slice(at).includes('*')) {
      return 'has "*" on both sides of a template: use it on one side, so that one value cannot match the names of another.';
    }
  }
  return null;
}

/**
 * Records at a label with `_` in front of a name prove control of the name (dns/names/certified.ts), so its holder
 * would choose the kind of the proof. No certificate has a name that begins with `_`, so in front of such a label the
 * value may be any.
 */
function problemOfProofs(parts: readonly TemplatePart[]): string | null {
  const labels = parts
    .map((part) => (typeof part === 'string' ? part : '$'))
    .join('')
    .split('.');
  const isProof = (label: string, at: number) => /^_.*\$/.test(label) && labels[at + 1]?.startsWith('_') !== true;
  if (!labels.some(isProof)) return null;
  return 'has a template in a label that begins with "_": records there prove control of the name after the label, for the value acme-challenge for instance. Write that label as text, such as "_acme-challenge".';
}

/** The pattern for the claims of a token, or a sentence that says why it has none. */
export function fillTemplate(
  pattern: string,
  leaves: readonly Leaf[],
  claims: Readonly<Record<string, unknown>>,
): { ok: true; pattern: string } | { ok: false; sentence: string } {
  const parts = splitTemplate(pattern);
  // Trusts of earlier versions can have such a pattern.
  const problem = problemOfProofs(parts);
  if (problem !== null) return { ok: false, sentence: `${pattern} ${problem}` };
  let filledPattern = '';
  for (const part of parts) {
    if (typeof part === 'string') {
      filledPattern += part;
      continue;
    }
    const leaf = findDemandedLeaf(part, leaves);
    const value = leaf === undefined ? null : claimAt(claims, leaf.path);
    if (value === null || !(part.severalLabels ? SEVERAL_LABELS : ONE_LABEL).test(value)) {
      const requirement = part.severalLabels
        ? 'labels of a domain name with dots between them'
        : 'one label of a domain name';
      const finding = value === null ? 'has not one value' : `is ${clip(value)}`;
      return {
        ok: false,
        sentence: `The claim ${part.claim} ${finding}, and ${pattern} needs ${requirement}: lower-case letters, digits and "-".`,
      };
    }
    filledPattern += value;
  }
  if (filledPattern.length <= MAX_NAME) return { ok: true, pattern: filledPattern };
  return { ok: false, sentence: `With the claims of the token, ${pattern} has more than ${MAX_NAME} characters.` };
}
