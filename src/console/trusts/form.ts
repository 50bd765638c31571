// Converts the form of a trust to the API's terms and back. Validates nothing, so that the API's own sentence is shown
// about every field. Pure.
import { KEY_FIELDS, readKeyTerms } from '../apps/form.ts';
import { list, type Typed, textField } from '../shell/forms.ts';
import { findTrustKind, type TrustKind } from './kinds.ts';

/** The fields of the form at which a refusal of the API is shown. */
export const TRUST_FIELDS = [
  ...KEY_FIELDS.filter((field) => field !== 'tsig'),
  'issuer',
  'audience',
  'keySource',
  'match',
  'pinSubjects',
] as const;

/** An object of claims: a text is a pattern, an object holds nested claims. */
export interface Match {
  [claim: string]: string | Match;
}

/** The body of a creation, as the API takes it. */
export function readTrustForm(typed: Typed, idOf: (zoneName: string) => string | null) {
  const kind = findTrustKind(textField(typed, 'kind'));
  return {
    ...readKeyTerms(typed, idOf),
    issuer: textField(typed, 'issuer'),
    audience: textField(typed, 'audience') || undefined,
    keySource: readKeySource(typed, kind),
    match: readClaimMatch(typed, kind),
    ...(kind.id === 'kubernetes' ? { pinSubjects: textField(typed, 'pinSubjects') !== '' } : {}),
  };
}

/** The initial form of a kind. */
export function typedOfKind(kind: TrustKind): Typed {
  const claims = kind.claims.flatMap(({ name, initial }) => (initial === undefined ? [] : [[name, initial] as const]));
  return {
    kind: kind.id,
    issuer: kind.issuer.initial,
    keySource: kind.keySources[0],
    records: 'write',
    manageZones: 'none',
    onlyNames: kind.names,
    ...(kind.id === 'kubernetes' ? { pinSubjects: 'on' } : {}),
    ...Object.fromEntries(claims),
  };
}

/** The fields of another kind, with the typed values that both kinds have. */
export function withKind(typed: Typed): Typed {
  const kind = findTrustKind(textField(typed, 'kind'));
  const freshFields = typedOfKind(kind);
  const commonFields = ['name', 'records', 'manageZones', 'audience', 'grantZone', 'grantLevel'];
  return {
    ...freshFields,
    ...Object.fromEntries(commonFields.flatMap((field) => (typed[field] ? [[field, typed[field]]] : []))),
  };
}

/** The claims that the form binds. Empty texts bind nothing. */
export function readClaimMatch(typed: Typed, kind: TrustKind): Match {
  const match: Match = {};
  for (const { name, path, fixed } of kind.claims) {
    const value = textField(typed, name);
    if (value !== '') put(match, path, fixed ?? value);
  }
  if (!kind.anyClaims) return match;
  for (const line of lines(textField(typed, 'claims'))) {
    const at = line.indexOf('=');
    // A line without "=" is passed on, and the API refuses it.
    const [path, value] = at === -1 ? [line, ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    put(match, [path], value);
  }
  return match;
}

/** The values of a match as lines of the form `a.b = pattern`. */
export function claimLines(match: Match, before = ''): string[] {
  return Object.entries(match).flatMap(([name, value]) =>
    typeof value === 'string' ? [`${before}${name} = ${value}`] : claimLines(value, `${before}${name}.`),
  );
}

/** The patterns of names that were typed. Empty: all names. */
export function readOnlyNames(typed: Typed): string[] {
  return list(typed, 'onlyNames');
}

function readKeySource(typed: Typed, kind: TrustKind): object {
  const source = textField(typed, 'keySource') || kind.keySources[0];
  if (source === 'jwks') return { kind: 'jwks', url: textField(typed, 'jwksUrl') };
  if (source === 'pinned') return { kind: 'pinned', jwks: parsed(textField(typed, 'jwks')) };
  return { kind: source };
}

/** The text itself if it is not JSON: the API refuses it with its own sentence. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}

function put(match: Match, path: readonly string[], value: string): void {
  let at = match;
  for (const name of path.slice(0, -1)) {
    const inside = at[name];
    at = at[name] = typeof inside === 'object' ? inside : {};
  }
  at[path.at(-1) as string] = value;
}

function lines(texts: string): string[] {
  return texts.split('\n').flatMap((line) => line.trim() || []);
}
