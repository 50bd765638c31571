// Judges where the keys of an issuer come from, and the issuer itself. Pure.

import type { KeySource } from '#base/key-source.ts';
import { accept, clip, refuse, type Verdict } from '#dns/verdict.ts';

const MAX_ISSUER = 500;
const MAX_URL = 500;
const MAX_KEYS = 16;
/** Base64 of the shortest RSA modulus: 2048 bits. */
const SHORTEST_RSA = 342;
/** Base64 of the longest RSA modulus that the verification uses, 8192 bits, has 1,366 characters. */
const MAX_FIELD = 2_048;
const MAX_KEY_ID = 256;
const SPIFFE = /^spiffe:\/\/[a-z0-9._-]{1,255}$/;
/** The public members of each type of key (RFC 7518 section 6, RFC 8037); others are not kept. */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  RSA: ['n', 'e'],
  EC: ['crv', 'x', 'y'],
  OKP: ['crv', 'x'],
};
const COMMON_MEMBERS = ['kty', 'kid', 'use', 'alg'] as const;
const CURVES: ReadonlySet<string> = new Set(['P-256', 'Ed25519']);

/** @param isAdministrator whether sources are allowed that only the administrator of the service may choose */
export function judgeIssuer(issuer: string, source: KeySource, isAdministrator: boolean): Verdict<string> {
  if (SPIFFE.test(issuer)) {
    if (source.kind === 'jwks' || source.kind === 'pinned') return accept(issuer);
    return refuse(
      'keySource',
      'a SPIFFE trust domain has no discovery: give the address of its bundle (jwks), or pin its keys.',
    );
  }
  const problem = problemOfUrl(issuer, isAdministrator, MAX_ISSUER);
  if (problem === null) return accept(issuer);
  return refuse(
    'issuer',
    `${clip(issuer)} ${problem}, or spiffe:// with a trust domain. It is the "iss" of the tokens.`,
  );
}

export function judgeKeySource(source: KeySource, isAdministrator: boolean): Verdict<KeySource> {
  switch (source.kind) {
    case 'discovery':
      return accept({ kind: 'discovery' });
    case 'jwks': {
      const problem = problemOfUrl(source.url, isAdministrator, MAX_URL);
      if (problem !== null) return refuse('keySource.url', `${clip(source.url)} ${problem}.`);
      return accept({ kind: 'jwks', url: source.url });
    }
    case 'pinned':
      return judgeKeys(source.jwks.keys);
    default:
      if (isAdministrator) return accept({ kind: source.kind });
      return refuse(
        'keySource.kind',
        `${source.kind} is the cluster of the service itself: only its administrator can trust it, by "zonestead admin trusts create".`,
      );
  }
}

function problemOfUrl(text: string, isAdministrator: boolean, most: number): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  const requirement = 'must be an https:// address without user, query and fragment';
  if (url === null || text.length > most || /[\s\p{C}]/u.test(text)) return requirement;
  if (url.username !== '' || url.password !== '' || text.includes('?') || text.includes('#')) return requirement;
  return url.protocol === 'https:' || (isAdministrator && url.protocol === 'http:') ? null : requirement;
}

function judgeKeys(keys: readonly Record<string, unknown>[]): Verdict<KeySource> {
  if (keys.length === 0 || keys.length > MAX_KEYS) {
    return refuse('keySource.jwks', `it must have 1 to ${MAX_KEYS} keys (RFC 7517).`);
  }
  const keptKeys: Record<string, unknown>[] = [];
  for (const [at, key] of keys.entries()) {
    const problem = problemOfKey(key);
    if (problem !== null) return refuse(`keySource.jwks.keys.${at}`, problem);
    const fields = membersOf(key).map((name) => [name, key[name]] as const);
    keptKeys.push(Object.fromEntries(fields.filter(([, value]) => typeof value === 'string')));
  }
  return accept({ kind: 'pinned', jwks: { keys: keptKeys } });
}

function membersOf({ kty }: Record<string, unknown>): readonly string[] {
  return [...COMMON_MEMBERS, ...(MEMBERS[String(kty)] ?? [])];
}

function problemOfKey(key: Record<string, unknown>): string | null {
  const { kty, crv, n, d, k } = key;
  if (d !== undefined || k !== undefined) return 'this is a private key: give the public key only.';
  for (const name of membersOf(key)) {
    const most = name === 'kid' ? MAX_KEY_ID : MAX_FIELD;
    const value = key[name] ?? '';
    if (typeof value !== 'string' || value.length > most || /\p{C}/u.test(value))
      return `${name} must be a text of at most ${most} characters on one line.`;
  }
  if (kty === 'RSA') {
    return typeof n === 'string' && n.length >= SHORTEST_RSA ? null : 'an RSA key must have at least 2048 bits.';
  }
  if ((kty === 'EC' || kty === 'OKP') && CURVES.has(String(crv))) return null;
  return 'must be an RSA key, or one of the curve P-256 or Ed25519.';
}

/** The ids of pinned keys; null: others may be added, or a key has no id. */
export function listKids(source: KeySource): string[] | null {
  if (source.kind !== 'pinned') return null;
  const kids = source.jwks.keys.map(({ kid }) => kid);
  return kids.every((kid) => typeof kid === 'string') ? (kids as string[]) : null;
}
