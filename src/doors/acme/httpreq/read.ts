// Reads the body of a request: the name of the TXT record and its value, or the domain and the key authorization. Pure.
import { createHash } from 'node:crypto';
import type { HttpreqBody } from '#contract/acme.ts';
import { countChallenges } from '#dns/names/certified.ts';

/** RFC 8555 8.4: the value is the SHA-256 of the key authorization, in base64url. */
export function readChallenge(body: HttpreqBody): { fqdn: string; value: string } {
  if ('fqdn' in body) return { fqdn: body.fqdn, value: body.value };
  const domain = body.domain.replace(/^\*\./, '').replace(/\.$/, '');
  return {
    fqdn: `_acme-challenge.${domain}.`,
    value: createHash('sha256').update(body.keyAuth).digest('base64url'),
  };
}

/** Before the body is validated: the name is that of a challenge, or made of a domain. */
export function countNamedChallenge({ body }: { body: unknown }): number {
  const { fqdn } = (body ?? {}) as { fqdn?: unknown };
  return fqdn === undefined ? 1 : countChallenges([{ name: fqdn, type: 'TXT' }]);
}
