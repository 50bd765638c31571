// The words of skopeo, cosign and helm about a registry that refuses, as a sentence that says what to do. Pure.

/** Each with a form that finds it in the words of these programs, most specific first. */
const REFUSALS: readonly (readonly [form: RegExp, sentence: (host: string) => string])[] = [
  [
    /server gave HTTP response to HTTPS client/i,
    (host) =>
      `${host} speaks HTTP without TLS. Give it a certificate, or add --plain-http if it is a registry for tests`,
  ],
  [
    /x509|certificate|tls: |malformed HTTP response/i,
    (host) => `the certificate of ${host} is not trusted. Add --ca-file with the certificate authority that signed it`,
  ],
  [
    /unauthorized|authentication required|\b401\b|no basic auth credentials/i,
    (host) =>
      `${host} wants a login (401). Log in with "skopeo login --authfile ~/.docker/config.json ${host}", or add --auth-file`,
  ],
  [
    /denied|forbidden|\b403\b/i,
    (host) => `${host} refuses this login (403). The login needs the right to push to this path`,
  ],
  [
    /no such host|connection refused|network is unreachable|no route to host|i\/o timeout|deadline exceeded|connection reset|EOF\b/i,
    (host) => `${host} does not answer. Check its address and that it is running, and run the command again`,
  ],
  [
    /too ?many ?requests|\b429\b/i,
    (host) =>
      `${host} limits the rate of requests (429). Wait, and run the command again: it continues where it stopped`,
  ],
];

/**
 * The tag or the repository does not exist. Registries write a code of the OCI distribution specification, or a
 * sentence.
 */
export function isMissing(words: string): boolean {
  // A helper for credentials that is not installed is something else: "executable file not found in $PATH".
  return /manifest unknown|name unknown|repository name not known|(?<!file )\bnot found\b|\b404\b/i.test(words);
}

/**
 * @param words the last lines of the program
 * @param doing "pushing registry.example.net/zonestead/postgres:18"
 */
export function refusal(words: string, doing: string, host: string): Error {
  const known = REFUSALS.find(([form]) => form.test(words));
  return new Error(known === undefined ? `${doing} failed:\n${words}` : `${doing} failed: ${known[1](host)}`, {
    cause: words,
  });
}
