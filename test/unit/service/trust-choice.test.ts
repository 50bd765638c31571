// The choice among trusts that may accept a token: their order decides, and not the time that each verdict takes.
import { expect, test } from 'vitest';
import { chooseTrust } from '#service/trusts/choose.ts';
import type { TrustForToken } from '#store/trust-subjects.ts';
import type { TokenProblem, VerifiedToken } from '#tokens/issuer.ts';
import type { TokenVerifier } from '#tokens/verifier.ts';

const trust = (id: string, kind: 'token-review' | 'cluster') =>
  ({
    id,
    issuer: 'https://a.example',
    audience: 'zonestead',
    keySource: { kind },
    ca: null,
    maxTokenAgeS: 60,
  }) as never;
const [first, second] = [trust('first', 'token-review'), trust('second', 'cluster')] as TrustForToken[];
const token: VerifiedToken = {
  claims: {},
  issuer: 'https://a.example',
  subject: 'x',
  issuedAt: new Date(),
  expiresAt: new Date(),
};
const refused = (code: TokenProblem['code'], retryAfterS: number | null = null) =>
  ({ ok: false, problem: { code, sentence: code, retryAfterS } }) as const;

/** @param judged by the first trust. The second one accepts every token. */
function choose(judged: Promise<Awaited<ReturnType<TokenVerifier['verify']>>>) {
  const verify: TokenVerifier['verify'] = (_text, { keySource }) =>
    keySource.kind === 'token-review' ? judged : Promise.resolve({ ok: true, token });
  const tokens: TokenVerifier = { read: () => refused('malformed'), verify };
  return chooseTrust(tokens, 't', [first, second] as TrustForToken[], new AbortController().signal);
}

test.each([0, 50, 150, 400])(
  'the first trust that accepts is chosen, also if its TokenReview needs %d ms',
  async (ms) => {
    const late = new Promise<{ ok: true; token: typeof token }>((resolve) =>
      setTimeout(() => resolve({ ok: true, token }), ms),
    );
    expect(await choose(late)).toMatchObject({ ok: true, trust: { id: 'first' } });
  },
);

test('no later trust is chosen while the first verdict is open', async () => {
  const waiting = choose(new Promise(() => undefined));
  const other = new Promise((resolve) => setTimeout(resolve, 400, 'open'));
  expect(await Promise.race([waiting, other])).toBe('open');
});

test.each(['issuer-down', 'issuer-keys'] as const)('a first verdict of %s is the answer', async (code) => {
  expect(await choose(Promise.resolve(refused(code, 7)))).toMatchObject({
    ok: false,
    problem: { code, retryAfterS: 7 },
  });
});

test.each(['signature', 'unknown-key', 'audience'] as const)(
  'after a refusal for %s, the next trust is asked',
  async (code) => {
    expect(await choose(Promise.resolve(refused(code)))).toMatchObject({ ok: true, trust: { id: 'second' } });
  },
);
