// The answer to a registration, with the names that acme-dns gives its fields. Pure.
import type { ChallengeAccount } from '#service/challenges/accounts.ts';

export function accountAnswer({ keyId, secret, fulldomain, subdomain, networks }: ChallengeAccount) {
  return { username: keyId, password: secret, fulldomain, subdomain, allowfrom: [...networks] };
}
