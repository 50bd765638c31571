// The preview of a trust: which example tokens would get which names. The claims of the examples are those that the
// form binds, with example values for `*`. Pure.
import { listLeaves } from '#service/trusts/match.ts';
import { fillTemplate, judgeTemplate } from '#service/trusts/template.ts';
import { type Typed, textField } from '../shell/forms.ts';
import { type Match, readClaimMatch, readOnlyNames } from './form.ts';
import type { TrustKind } from './kinds.ts';

export interface PreviewRow {
  /** The claims of the example, for people. */
  who: string;
  /** The patterns of names that its tokens may write. Null: all names. */
  names: string[] | null;
  /** A sentence, instead of names. */
  problem: string | null;
}

export interface TrustPreview {
  rows: PreviewRow[];
  /** A sentence about the whole form. Null without one. */
  note: string | null;
}

const EXAMPLES = 2;

/** The rules of the service about openness are not checked. */
export function previewTrust(typed: Typed, kind: TrustKind): TrustPreview {
  const leaves = listLeaves(readClaimMatch(typed, kind));
  if (leaves.length === 0) return { rows: [], note: 'Fill in a claim to see which tokens would get which names.' };
  const patterns = readOnlyNames(typed);
  for (const [at, pattern] of patterns.entries()) {
    const verdict = judgeTemplate(pattern, leaves, `onlyNames.${at}`);
    if (!verdict.ok) return { rows: [], note: verdict.problem.message };
  }
  const hasStar = leaves.some(({ pattern }) => pattern.includes('*'));
  const examples = Array.from({ length: hasStar ? EXAMPLES : 1 }, (_, at) => buildExample(typed, kind, at));
  const rows = examples.map(({ who, claims }): PreviewRow => {
    const filledPatterns = patterns.map((pattern) => fillTemplate(pattern, leaves, claims));
    const failedPattern = filledPatterns.find((each) => !each.ok);
    if (failedPattern && !failedPattern.ok) return { who, names: null, problem: failedPattern.sentence };
    const names = filledPatterns.flatMap((each) => (each.ok ? each.pattern : []));
    return { who, names: names.length === 0 ? null : names, problem: null };
  });
  return { rows, note: hasStar ? 'Two examples of the tokens that are accepted:' : 'The tokens that are accepted:' };
}

/** The claims of the example of this number, and their values for people. */
function buildExample(typed: Typed, kind: TrustKind, number: number): { who: string; claims: Match } {
  const values: Record<string, string> = {};
  const words: string[] = [];
  for (const { name, label, examples, fixed } of kind.claims) {
    const typedValue = textField(typed, name);
    if (typedValue === '') continue;
    if (fixed !== undefined) {
      values[name] = fixed;
      continue;
    }
    const example = examples[number % Math.max(examples.length, 1)] ?? `example-${number + 1}`;
    values[name] = typedValue.replaceAll('*', () => example);
    words.push(`${label.charAt(0).toLowerCase()}${label.slice(1)} ${values[name]}`);
  }
  const claims = String(typed.claims ?? '').replaceAll('*', `example-${number + 1}`);
  return { who: words.join(', ') || 'every token', claims: readClaimMatch({ ...typed, ...values, claims }, kind) };
}
