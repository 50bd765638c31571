// Verifies JSON Web Tokens of issuers: the text and its claims first, which costs nothing, then the signature with the keys of the
// issuer, or a TokenReview. A proof is remembered for a minute, so the next request with the same token needs neither. The claims
// are judged at every request.
import { hash } from 'node:crypto';
import type { Logger } from 'pino';
import { realClock } from '#base/clock.ts';
import type { Metrics } from '#telemetry/metrics.ts';
import { judgeToken, quote } from './claims.ts';
import { FetchProblem } from './fetch-json.ts';
import { type Rejection, rejectToken, type TokenIssuer, type Verdict } from './issuer.ts';
import { createKeptKeys, type KeptKeys, KeysProblem } from './kept-keys.ts';
import type { PublicKeys } from './keys.ts';
import { createTokenMetrics } from './metrics.ts';
import { createRecent } from './recent.ts';
import { reviewToken } from './review.ts';
import { checkSignature } from './signature.ts';
import { fetchKeys, type SourcePorts, sourceId } from './sources.ts';
import { readToken, type TokenText } from './text.ts';

export interface TokenVerifier {
  /** Reads a token without a proof, for example to look up the issuers that it may be of. */
  read: typeof readToken;
  /**
   * Judges a token of this issuer. Fetches take at most 10 s, and known keys no time. A token that no known key verifies may wait
   * 5 s for the next fetch.
   * @param signal ends a TokenReview, which then fails
   */
  verify(text: string, issuer: TokenIssuer, signal: AbortSignal): Promise<Verdict>;
}

export interface VerifierOptions extends Partial<SourcePorts> {
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Unix time in ms. (Default: that of the machine.) */
  readonly now?: () => number;
}

/** A proof of a token: it holds until then, and while the issuer has the same keys. Tenants make tokens, so a proof is small. */
interface Proof {
  readonly keys: PublicKeys | null;
  readonly until: number;
}

const PROOF_MS = 60_000;
const MOST_PROOFS = 10_000;
/** Tokens whose content is remembered, proved or not, and the longest of them in characters. Tokens of clusters have about 1,200. */
const MOST_READS = 256;
const LONGEST_READ = 4_096;
/** Tenants choose issuers. A set of keys needs up to 200 kB. */
const MOST_SOURCES = 500;

export function createTokenVerifier(options: VerifierOptions): TokenVerifier {
  const { log, clock = realClock, cluster, now = Date.now } = options;
  const ports: SourcePorts = { clock, cluster };
  const sources = createRecent<KeptKeys>(MOST_SOURCES);
  const proofs = createRecent<Proof>(MOST_PROOFS);
  const failing = () => [...sources.values()].filter((source) => source.isFailing()).length;
  const metrics = createTokenMetrics(options.metrics, failing);

  const keptKeys = (id: string, source: TokenIssuer): KeptKeys => {
    const known = sources.get(id);
    if (known !== undefined) return known;
    const words = { issuer: source.issuer, keySource: source.keySource.kind };
    const kept = createKeptKeys({
      fetch: () => fetchKeys(source, ports),
      clock,
      fetched: (problem, changed) => {
        metrics.fetched(problem === null ? 'ok' : 'failed');
        if (!changed) return;
        if (problem === null) log.info(words, 'the keys of the token issuer are fetched again');
        else log.warn({ ...words, err: problem }, 'the keys of a token issuer cannot be fetched');
      },
    });
    sources.set(id, kept);
    return kept;
  };

  /** The keys that verify the token, or the reason why none does. */
  const proveByKeys = async (
    text: string,
    { issuer, keySource }: TokenIssuer,
    kept: KeptKeys,
    keys: PublicKeys,
  ): Promise<PublicKeys | Rejection> => {
    const outcome = await checkSignature(text, keys, now());
    if (outcome === 'ok') return keys;
    // The issuer may have begun to sign with another key, with a new name or with the same.
    const { keys: newer, isLatest } = await kept.newer(keys);
    if (newer !== null && (await checkSignature(text, newer, now())) === 'ok') return newer;
    const retryAfterS = keySource.kind === 'pinned' || isLatest ? null : kept.waitS();
    const sentence =
      outcome === 'signature'
        ? `The signature of the token is not valid with the keys of the issuer ${quote(issuer)}.`
        : `The issuer ${quote(issuer)} has no key with the name that the token gives (kid).`;
    return rejectToken(outcome, sentence, retryAfterS);
  };

  const review = async (text: string, token: TokenText, audience: string, signal: AbortSignal) => {
    try {
      const refused = await reviewToken(text, token, audience, ports, signal);
      metrics.reviewed(refused === null ? 'ok' : 'refused');
      return refused;
    } catch (error) {
      metrics.reviewed('failed');
      log.warn({ err: error }, 'the API server of the cluster did not judge a token');
      throw error;
    }
  };

  const prove = async (
    text: string,
    token: TokenText,
    issuer: TokenIssuer,
    signal: AbortSignal,
  ): Promise<Rejection | null> => {
    const source = sourceId(issuer);
    const id = hash('sha256', `${text} ${source} ${issuer.audience}`, 'base64');
    const proof = proofs.get(id);
    const isYoung = proof !== undefined && clock.now() < proof.until;
    const remember = (keys: PublicKeys | null) => proofs.set(id, { keys, until: clock.now() + PROOF_MS });
    if (issuer.keySource.kind === 'token-review') {
      if (isYoung) return null;
      const refused = await review(text, token, issuer.audience, signal);
      if (refused === null) remember(null);
      return refused;
    }
    const kept = keptKeys(source, issuer);
    try {
      const keys = await kept.current();
      if (isYoung && proof.keys === keys) return null;
      const proved = await proveByKeys(text, issuer, kept, keys);
      if ('ok' in proved) return proved;
      remember(proved);
      return null;
    } catch (error) {
      if (!(error instanceof KeysProblem)) throw error;
      const sentence = `The keys of the issuer ${quote(issuer.issuer)} cannot be fetched: ${error.message}.`;
      return rejectToken(error.code, sentence, issuer.keySource.kind === 'pinned' ? null : kept.waitS());
    }
  };

  const reads = createRecent<ReturnType<typeof readToken>>(MOST_READS);
  const read = (text: string): ReturnType<typeof readToken> => {
    if (text.length > LONGEST_READ) return readToken(text);
    const known = reads.get(text);
    if (known !== undefined) return known;
    const fresh = readToken(text);
    reads.set(text, fresh);
    return fresh;
  };

  const judge = async (text: string, issuer: TokenIssuer, signal: AbortSignal): Promise<Verdict> => {
    const found = read(text);
    if (!found.ok) return found;
    const { token } = found;
    const judged = judgeToken(token, issuer, now());
    if (!judged.ok) return judged;
    const refused = await prove(text, token, issuer, signal).catch((error: unknown) => {
      if (!(error instanceof FetchProblem)) throw error;
      return rejectToken('issuer-down', `The token cannot be judged: ${error.message}.`, 1);
    });
    if (refused !== null) return refused;
    const { subject, times } = judged;
    return { ok: true, token: { claims: token.claims, issuer: issuer.issuer, subject, ...times } };
  };

  return {
    read,
    verify: async (text, issuer, signal) => {
      const verdict = await judge(text, issuer, signal);
      metrics.verified(verdict.ok ? 'ok' : verdict.problem.code);
      return verdict;
    },
  };
}
