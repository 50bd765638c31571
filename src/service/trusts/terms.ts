// Judges the terms of a trust: the tokens that it accepts, and the rights of their holders. The rights are those of an
// app key (keys/terms.ts), and names may have templates. Pure; the caller checks that the zones of the grants exist.
import { isDeepStrictEqual } from 'node:util';
import type { KeySource } from '#base/key-source.ts';
import { accept, clip, refuse, type Verdict } from '#dns/verdict.ts';
import type { TrustIndex, TrustTerms } from '#store/trusts.ts';
import { judgePattern, judgeTerms, NO_TERMS, type TermsInput } from '../keys/terms.ts';
import { judgeIssuer, judgeKeySource, listKids } from './key-source.ts';
import { type ClaimMatch, factsOfMatch, judgeMatch, listLeaves } from './match.ts';
import { judgeOpenness } from './openness.ts';
import { judgeSharedNames } from './shared-names.ts';
import { hasTemplate, judgeTemplate } from './template.ts';

/** The requested terms. An omitted field stays as it is. */
export interface TrustInput extends TermsInput {
  issuer?: string | undefined;
  audience?: string | undefined;
  keySource?: KeySource | undefined;
  match?: ClaimMatch | undefined;
  /** In seconds. */
  maxTokenAge?: number | undefined;
  pinSubjects?: boolean | undefined;
  /** Only for the administrator: certificates as PEM. */
  ca?: string | null | undefined;
  /** Only for the administrator. */
  privateAddresses?: boolean | undefined;
}

const DEFAULT_AUDIENCE = 'zonestead';
/** In seconds. */
const MAX_TOKEN_AGE = 3_600;
const MIN_TOKEN_AGE = 60;
const MAX_AUDIENCE = 255;

/** The terms of a new trust: it accepts nothing, and gives no rights. */
export const NO_TRUST: TrustTerms = {
  ...NO_TERMS,
  issuer: '',
  audience: DEFAULT_AUDIENCE,
  keySource: { kind: 'discovery' },
  ca: null,
  privateAddresses: false,
  match: {},
  maxTokenAgeS: MAX_TOKEN_AGE,
  pinSubjects: false,
};

interface TrustRules {
  now: Date;
  /**
   * Whether the administrator of the service asks: the limits may be higher, and the keys may be at private addresses.
   */
  isAdministrator: boolean;
}

/** The terms `base` with the changes of `input`. */
export function judgeTrust(base: TrustTerms, input: TrustInput, rules: TrustRules): Verdict<TrustTerms> {
  const { isAdministrator } = rules;
  const source = input.keySource ?? base.keySource;
  const isNewSource = !isDeepStrictEqual(source, base.keySource);
  const keySource = judgeKeySource(source, isAdministrator || !isNewSource);
  if (!keySource.ok) return keySource;
  // The administrator allowed private addresses for the old source only.
  const keptTerms = isNewSource && !isAdministrator ? NO_TRUST : base;
  const issuer = judgeIssuer(input.issuer ?? base.issuer, keySource.value, isAdministrator || base.issuer !== '');
  if (!issuer.ok) return issuer;
  const audience = judgeAudience(input.audience ?? base.audience);
  if (!audience.ok) return audience;
  const match = judgeMatch(input.match ?? base.match);
  if (!match.ok) return match;
  const maxTokenAgeS = judgeAge(input.maxTokenAge ?? base.maxTokenAgeS);
  if (!maxTokenAgeS.ok) return maxTokenAgeS;
  const terms = judgeRights(base, input, match.value, rules);
  if (!terms.ok) return terms;
  const value: TrustTerms = {
    ...terms.value,
    issuer: issuer.value,
    audience: audience.value,
    keySource: keySource.value,
    ca: input.ca === undefined ? keptTerms.ca : input.ca,
    privateAddresses: input.privateAddresses ?? keptTerms.privateAddresses,
    match: match.value,
    maxTokenAgeS: maxTokenAgeS.value,
    pinSubjects: input.pinSubjects ?? (base.issuer === '' ? pinsByDefault(match.value) : base.pinSubjects),
  };
  const open = judgeOpenness(value);
  return open.ok ? accept(value) : open;
}

/** The part of the terms that a key has as well; names may have templates. */
function judgeRights(
  base: TrustTerms,
  input: TrustInput,
  match: ClaimMatch,
  { now, isAdministrator }: TrustRules,
): Verdict<TrustTerms> {
  const names = input.onlyNames === undefined ? base.onlyNames : input.onlyNames;
  const leaves = listLeaves(match);
  const onlyNames = new Set<string>();
  for (const [at, name] of (names ?? []).entries()) {
    const field = `onlyNames.${at}`;
    const verdict = hasTemplate(name) ? judgeTemplate(name, leaves, field) : judgePattern(name, field);
    if (!verdict.ok) return verdict;
    onlyNames.add(verdict.value);
  }
  const shared = judgeSharedNames([...onlyNames]);
  if (!shared.ok) return shared;
  const terms = judgeTerms(base, { ...input, onlyNames: undefined }, { now, anyLimits: isAdministrator });
  if (!terms.ok) return terms;
  return accept({ ...base, ...terms.value, onlyNames: names === null ? null : [...onlyNames] });
}

function judgeAudience(audience: string): Verdict<string> {
  if (/^[^\s\p{C}]+$/u.test(audience) && audience.length <= MAX_AUDIENCE) return accept(audience);
  return refuse('audience', `${clip(audience)} must have 1 to ${MAX_AUDIENCE} characters without spaces.`);
}

function judgeAge(age: number): Verdict<number> {
  if (Number.isInteger(age) && age >= MIN_TOKEN_AGE && age <= MAX_TOKEN_AGE) return accept(age);
  return refuse('maxTokenAge', `${age} must be a whole number of seconds from ${MIN_TOKEN_AGE} to ${MAX_TOKEN_AGE}.`);
}

/** In a cluster whose namespaces come and go, a namespace of the same name may belong to another person. */
function pinsByDefault(match: ClaimMatch): boolean {
  return listLeaves(match).some(
    ({ path, pattern }) => path.join('.') === 'kubernetes.io.namespace' && pattern.includes('*'),
  );
}

/** The columns by which the look-up of a token finds the trust. */
export function indexOfTrust(terms: TrustTerms): TrustIndex {
  return { facts: factsOfMatch(terms.match), kids: listKids(terms.keySource) };
}
