// Verifies JSON Web Tokens of issuers: the text and its claims first, which costs nothing, then the signature with the
// keys of the issuer, or a TokenReview. A proof is remembered for a minute, so the next request with the same token
// needs neither. The claims are judged at every request.
import { hash } from 'node:crypto';
import type { Logger } from 'pino';
import { type Clock, realClock } from '#base/clock.ts';
import type { Metrics } from '#telemetry/metrics.ts';
import { judgeToken, quote } from './claims.ts';
import { FetchProblem } from './fetch-json.ts';
import { type Rejection, rejectToken, type TokenIssuer, type TokenVerdict } from './issuer.ts';
import { createKeptKeys, type KeptKeys, KeysProblem } from './kept-keys.ts';
import type { PublicKeys } from './keys.ts';
import { createTokenMetrics, type TokenMetrics } from './metrics.ts';
import { createRecent } from './recent.ts';
import { reviewToken } from './review.ts';
import { checkSignature } from './signature.ts';
import { fetchKeys, type SourcePorts, sourceId } from './sources.ts';
import { readToken, type TokenText } from './text.ts';

export interface TokenVerifier {
  /** Reads a token without a proof, for example to look up the issuers that it may be of. */
  read: typeof readToken;
  /**
   * Judges a token of this issuer. Fetches take at most 10 s, and known keys no time. A token that no known key
   * verifies may wait 5 s for the next fetch.
   * @param signal ends a TokenReview, which then fails
   */
  verify(text: string, issuer: TokenIssuer, signal: AbortSignal): Promise<TokenVerdict>;
}

export interface VerifierOptions extends Partial<SourcePorts> {
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Unix time in ms. (Default: that of the machine.) */
  readonly now?: () => number;
}

/**
 * A proof of a token: it holds until then, and while the issuer has the same keys. Tenants make tokens, so a proof is
 * small.
 */
interface Proof {
  readonly keys: PublicKeys | null;
  readonly until: number;
}

const PROOF_MS = 60_000;
const MAX_PROOFS = 10_000;
/**
 * Tokens whose content is remembered, proved or not, and the longest of them in characters. Tokens of clusters have
 * about 1,200.
 */
const MAX_READS = 256;
const LONGEST_READ = 4_096;
/** Tenants choose issuers. A set of keys needs up to 200 kB. */
const MAX_SOURCES = 500;

export function createTokenVerifier(options: VerifierOptions): TokenVerifier {
  return new KeyedVerifier(options);
}

class KeyedVerifier implements TokenVerifier {
  readonly #options: VerifierOptions;
  readonly #clock: Clock;
  readonly #now: () => number;
  readonly #ports: SourcePorts;
  readonly #sources = createRecent<KeptKeys>(MAX_SOURCES);
  readonly #proofs = createRecent<Proof>(MAX_PROOFS);
  readonly #metrics: TokenMetrics;
  readonly #reads = createRecent<ReturnType<typeof readToken>>(MAX_READS);

  constructor(options: VerifierOptions) {
    this.#options = options;
    const { cluster } = this.#options;
    this.#clock = options.clock ?? realClock;
    this.#now = options.now ?? Date.now;
    this.#ports = { clock: this.#clock, cluster };
    this.#metrics = createTokenMetrics(this.#options.metrics, () => this.#countSources());
  }

  read(text: string): ReturnType<typeof readToken> {
    if (text.length > LONGEST_READ) return readToken(text);
    const knownResult = this.#reads.get(text);
    if (knownResult !== undefined) return knownResult;
    const freshResult = readToken(text);
    this.#reads.set(text, freshResult);
    return freshResult;
  }

  async verify(text: string, issuer: TokenIssuer, signal: AbortSignal): Promise<TokenVerdict> {
    const verdict = await this.#judge(text, issuer, signal);
    this.#metrics.verified(verdict.ok ? 'ok' : verdict.problem.code);
    return verdict;
  }

  #countSources() {
    const sources = [...this.#sources.values()];
    return { all: sources.length, failing: sources.filter((source) => source.isFailing()).length };
  }

  #keptKeys(id: string, source: TokenIssuer): KeptKeys {
    const { log } = this.#options;
    const knownKeys = this.#sources.get(id);
    if (knownKeys !== undefined) return knownKeys;
    const words = { issuer: source.issuer, keySource: source.keySource.kind };
    const keptKeys = createKeptKeys({
      fetch: () => fetchKeys(source, this.#ports),
      clock: this.#clock,
      fetched: (problem, isChanged) => {
        this.#metrics.fetched(problem === null ? 'ok' : 'failed');
        if (!isChanged) return;
        if (problem === null) log.info(words, 'the keys of the token issuer are fetched again');
        else log.warn({ ...words, err: problem }, 'the keys of a token issuer cannot be fetched');
      },
    });
    this.#sources.set(id, keptKeys);
    return keptKeys;
  }

  /** The keys that verify the token, or the reason why none does. */
  async #proveByKeys(
    text: string,
    { issuer, keySource }: TokenIssuer,
    keptKeys: KeptKeys,
    keys: PublicKeys,
  ): Promise<PublicKeys | Rejection> {
    const outcome = await checkSignature(text, keys, this.#now());
    if (outcome === 'ok') return keys;
    // The issuer may have begun to sign with another key, with a new name or with the same.
    const { keys: newer, isLatest } = await keptKeys.newer(keys);
    if (newer !== null && (await checkSignature(text, newer, this.#now())) === 'ok') return newer;
    const retryAfterS = keySource.kind === 'pinned' || isLatest ? null : keptKeys.waitS();
    const sentence =
      outcome === 'signature'
        ? `The signature of the token is not valid with the keys of the issuer ${quote(issuer)}.`
        : `The issuer ${quote(issuer)} has no key with the name that the token gives (kid).`;
    return rejectToken(outcome, sentence, retryAfterS);
  }

  async #review(text: string, token: TokenText, audience: string, signal: AbortSignal) {
    const { log } = this.#options;
    try {
      const rejection = await reviewToken(text, token, audience, this.#ports, signal);
      this.#metrics.reviewed(rejection === null ? 'ok' : 'refused');
      return rejection;
    } catch (error) {
      this.#metrics.reviewed('failed');
      log.warn({ err: error }, 'the API server of the cluster did not judge a token');
      throw error;
    }
  }

  async #prove(text: string, token: TokenText, issuer: TokenIssuer, signal: AbortSignal): Promise<Rejection | null> {
    const source = sourceId(issuer);
    const id = hash('sha256', `${text} ${source} ${issuer.audience}`, 'base64');
    const proof = this.#proofs.get(id);
    const isYoung = proof !== undefined && this.#clock.now() < proof.until;
    const remember = (keys: PublicKeys | null) => this.#proofs.set(id, { keys, until: this.#clock.now() + PROOF_MS });
    if (issuer.keySource.kind === 'token-review') {
      if (isYoung) return null;
      const rejection = await this.#review(text, token, issuer.audience, signal);
      if (rejection === null) remember(null);
      return rejection;
    }
    const keptKeys = this.#keptKeys(source, issuer);
    try {
      const keys = await keptKeys.current();
      if (isYoung && proof.keys === keys) return null;
      const proofResult = await this.#proveByKeys(text, issuer, keptKeys, keys);
      if ('ok' in proofResult) return proofResult;
      remember(proofResult);
      return null;
    } catch (error) {
      if (!(error instanceof KeysProblem)) throw error;
      const sentence = `The keys of the issuer ${quote(issuer.issuer)} cannot be fetched: ${error.message}.`;
      return rejectToken(error.code, sentence, issuer.keySource.kind === 'pinned' ? null : keptKeys.waitS());
    }
  }

  async #judge(text: string, issuer: TokenIssuer, signal: AbortSignal): Promise<TokenVerdict> {
    const readResult = this.read(text);
    if (!readResult.ok) return readResult;
    const { token } = readResult;
    const claimsVerdict = judgeToken(token, issuer, this.#now());
    if (!claimsVerdict.ok) return claimsVerdict;
    const rejection = await this.#prove(text, token, issuer, signal).catch((error: unknown) => {
      if (!(error instanceof FetchProblem)) throw error;
      return rejectToken('issuer-down', `The token cannot be judged: ${error.message}.`, 1);
    });
    if (rejection !== null) return rejection;
    const { subject, times } = claimsVerdict;
    return { ok: true, token: { claims: token.claims, issuer: issuer.issuer, subject, ...times } };
  }
}
