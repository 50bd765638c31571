// The place where the public keys of an issuer of tokens are: the database stores it with a trust, and the verifier
// reads the keys.

/** The place where the keys of an issuer are. */
export type KeySource =
  /**
   * The address that the issuer's `/.well-known/openid-configuration` names (OpenID Connect Discovery 1.0 section 4).
   */
  | { readonly kind: 'discovery' }
  /** A set of keys at an address. It may also be a SPIFFE trust bundle, of which the keys for JWT-SVIDs count. */
  | { readonly kind: 'jwks'; readonly url: string }
  /** Keys that a person or an administrator entered. Nothing is fetched. */
  | { readonly kind: 'pinned'; readonly jwks: { keys: Record<string, unknown>[] } }
  /**
   * The keys for service accounts of the cluster that the process runs in, which its API server gives to every service
   * account.
   */
  | { readonly kind: 'cluster' }
  /**
   * The API server of that cluster judges each token (TokenReview), so tokens of deleted pods and service accounts are
   * refused.
   */
  | { readonly kind: 'token-review' };
