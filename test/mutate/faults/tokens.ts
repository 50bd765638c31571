// Faults in the verification of tokens, and in the rights of their holders.
import type { Fault } from '../fault.ts';

const REVIEW = 'src/tokens/review.ts';
const AUTHENTICATE = 'src/service/trusts/authenticate.ts';

const fault = (name: string, breaks: string, test: string, file: string, find: string, replace: string): Fault => ({
  name: `tokens-${name}`,
  breaks,
  edits: [{ file, find, replace }],
  project: 'integration',
  tests: [`test/integration/${test}.test.ts`],
});

export const TOKEN_FAULTS: readonly Fault[] = [
  fault(
    'network',
    'the networks of a trust have no effect',
    'service/trusts/tokens',
    AUTHENTICATE,
    'if (trust.networks !== null && !isWithinNetworks(address, trust.networks))',
    'if (trust.networks !== null && !isWithinNetworks(address, [...trust.networks, "0.0.0.0/0"]))',
  ),
  fault(
    'expired',
    'an expired trust accepts tokens',
    'service/trusts/token-trusts',
    'src/base/lifetime.ts',
    'return expiresAt !== null && new Date(expiresAt) <= now;',
    'return expiresAt !== null && new Date(expiresAt) < new Date(0);',
  ),
  fault(
    'most-subjects',
    'a trust has any number of subjects',
    'service/trusts/token-trusts',
    AUTHENTICATE,
    'const MAX_SUBJECTS = 10_000;',
    'const MAX_SUBJECTS = 1_000_000;',
  ),
  fault(
    'review-audience',
    'a TokenReview for another audience proves a token',
    'tokens/cluster',
    REVIEW,
    'authenticated !== true || !audiences?.includes(audience)',
    'authenticated !== true',
  ),
  fault(
    'review-name',
    'a TokenReview of another service account proves a token',
    'tokens/cluster',
    REVIEW,
    'user?.username !== name || ',
    '',
  ),
  fault(
    'redirect',
    'an issuer that redirects is not named as such',
    'tokens/issuers',
    'src/tokens/fetch-json.ts',
    'answer.statusCode < 400)',
    'answer.statusCode < 300)',
  ),
];
