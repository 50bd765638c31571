// The terms of an app key: its rights, restrictions, limits and expiry. This module checks the requested terms and
// converts them to the stored form. Pure; the caller checks that the zones of the grants exist.

import { isDeepStrictEqual } from 'node:util';
import { BUCKETS } from '#base/buckets.ts';
import { parseNetwork } from '#dns/network.ts';
import { parseType } from '#dns/record.ts';
import { clip, refuse, type Verdict } from '#dns/verdict.ts';
import type { Grant, KeyTerms } from '#store/keys.ts';
import { PATTERN } from './patterns.ts';

export type { Grant, KeyTerms } from '#store/keys.ts';

/** The requested terms. An omitted field stays as it is, and null removes a restriction. Times are in ISO 8601. */
export interface TermsInput {
  name?: string | undefined;
  records?: KeyTerms['records'] | undefined;
  manageZones?: KeyTerms['manageZones'] | undefined;
  clusters?: KeyTerms['clusters'] | undefined;
  signals?: string[] | undefined;
  grants?: Grant[] | undefined;
  onlyNames?: string[] | null | undefined;
  onlyTypes?: string[] | null | undefined;
  networks?: string[] | null | undefined;
  zoneWrites?: number | null | undefined;
  recordWrites?: number | null | undefined;
  expiresAt?: string | null | undefined;
}

/** The terms of a new key: it has no rights by default. */
export const NO_TERMS: KeyTerms = {
  name: '',
  records: 'none',
  manageZones: 'none',
  clusters: 'none',
  signals: [],
  grants: [],
  onlyNames: null,
  onlyTypes: null,
  networks: null,
  zoneWrites: null,
  recordWrites: null,
  expiresAt: null,
};

/** The terms that are not rights. */
export type Limits = Pick<KeyTerms, 'name' | 'zoneWrites' | 'recordWrites'>;

/** Whether the rights differ: everything but the name and the limits. */
export function changesRights<T extends Limits>(before: T, after: T): boolean {
  const rightsOf = ({ name, zoneWrites, recordWrites, ...rights }: T) => rights;
  return !isDeepStrictEqual(rightsOf(before), rightsOf(after));
}

interface TermsRules {
  now: Date;
  /** Whether the limits may be higher than those of BUCKETS. Only an administrator of the service may set those. */
  anyLimits: boolean;
}

/** The terms `base` with the changes of `input`. */
export function judgeTerms(base: KeyTerms, input: TermsInput, rules: TermsRules): Verdict<KeyTerms> {
  const names = each(input.onlyNames, base.onlyNames, (text, at) => judgePattern(text, `onlyNames.${at}`));
  if (!names.ok) return names;
  const types = each(input.onlyTypes, base.onlyTypes, (text, at) => judgeType(text, `onlyTypes.${at}`));
  if (!types.ok) return types;
  const networks = each(input.networks, base.networks, (text, at) => parseNetwork(text, `networks.${at}`));
  if (!networks.ok) return networks;
  const grants = judgeGrants(input.grants ?? base.grants);
  if (!grants.ok) return grants;
  const expiresAt = judgeExpiry(base.expiresAt, input.expiresAt, rules.now);
  if (!expiresAt.ok) return expiresAt;
  const tooMany = rules.anyLimits ? null : overLimit(input);
  if (tooMany) return tooMany;
  return {
    ok: true,
    value: {
      name: input.name ?? base.name,
      records: input.records ?? base.records,
      manageZones: input.manageZones ?? base.manageZones,
      clusters: input.clusters ?? base.clusters,
      signals: [...new Set(input.signals ?? base.signals)],
      grants: grants.value,
      onlyNames: names.value,
      onlyTypes: types.value,
      networks: networks.value,
      zoneWrites: input.zoneWrites === undefined ? base.zoneWrites : input.zoneWrites,
      recordWrites: input.recordWrites === undefined ? base.recordWrites : input.recordWrites,
      expiresAt: expiresAt.value,
    },
  };
}

function each(
  texts: string[] | null | undefined,
  currentTexts: string[] | null,
  judge: (text: string, at: number) => Verdict<string>,
): Verdict<string[] | null> {
  if (texts === undefined) return { ok: true, value: currentTexts };
  if (texts === null) return { ok: true, value: null };
  const values = new Set<string>();
  for (const [at, text] of texts.entries()) {
    const verdict = judge(text, at);
    if (!verdict.ok) return verdict;
    values.add(verdict.value);
  }
  return { ok: true, value: [...values] };
}

/** A pattern of names in lower case. */
export function judgePattern(text: string, field: string): Verdict<string> {
  const pattern = text.toLowerCase();
  if (PATTERN.test(pattern) && !pattern.endsWith('.')) return { ok: true, value: pattern };
  return refuse(
    field,
    `${clip(text)} is not a pattern of names relative to the zone: use letters, digits, "-", "_" and ".", "*" for any run of characters, "@" for the apex.`,
  );
}

function judgeType(text: string, field: string): Verdict<string> {
  return parseType(text, field);
}

function judgeGrants(grants: Grant[]): Verdict<Grant[]> {
  const ids = grants.map((grant) => grant.zoneId);
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  if (twice !== undefined) return refuse('grants', `The zone ${clip(twice)} is named twice; give it one level.`);
  return { ok: true, value: grants };
}

function judgeExpiry(
  currentExpiry: Date | null,
  wantedExpiry: string | null | undefined,
  now: Date,
): Verdict<Date | null> {
  if (wantedExpiry === undefined) return { ok: true, value: currentExpiry };
  if (wantedExpiry === null) return { ok: true, value: null };
  const moment = new Date(wantedExpiry);
  if (moment > now) return { ok: true, value: moment };
  return refuse(
    'expiresAt',
    `${clip(wantedExpiry)} is not a future time in ISO 8601; use a future time, or null for a key that does not expire.`,
  );
}

function overLimit(input: TermsInput) {
  for (const [field, limit] of [
    ['zoneWrites', BUCKETS.zones.limit],
    ['recordWrites', BUCKETS.records.limit],
  ] as const) {
    const wantedLimit = input[field];
    if (typeof wantedLimit === 'number' && wantedLimit > limit) {
      return refuse(
        field,
        `${wantedLimit} is more than the service allows every key: use at most ${limit} writes per minute.`,
      );
    }
  }
  return null;
}
