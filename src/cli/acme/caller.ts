// The calling client and its order, read from the arguments and the environment that certbot, lego, dehydrated, uacme
// and acme.sh give to a hook. Pure.
//
//   certbot     no arguments; CERTBOT_DOMAIN, CERTBOT_VALIDATION; CERTBOT_AUTH_OUTPUT is set in the clean-up only
//   lego        present|cleanup FQDN VALUE; with EXEC_MODE=RAW: present|cleanup -- DOMAIN TOKEN KEYAUTH
//   dehydrated  deploy_challenge|clean_challenge (DOMAIN TOKEN VALUE)…; ignores other events
//   uacme       begin|done|failed dns-01 DOMAIN TOKEN VALUE; a hook rejects a challenge type with an error
//   acme.sh     add|rm FQDN VALUE, from the file that scripts.ts generates
import { createHash } from 'node:crypto';
import { plainName } from '#dns/names/plain.ts';

export interface CallerChallenge {
  /** Absolute, without final dot: the name that the CA queries, unless there is a CNAME. */
  name: string;
  /** Can begin with a hyphen. */
  value: string;
}

export type Order =
  /** `more`: the client calls with further values before it asks the CA to validate. */
  | { kind: 'present'; challenges: CallerChallenge[]; more: boolean }
  | { kind: 'cleanup'; challenges: CallerChallenge[] }
  /** An event that is not about challenges. */
  | { kind: 'ignore' };

const USAGE =
  'The calling ACME client is unknown. certbot, lego, dehydrated, uacme and acme.sh run this command as their hook. To run it yourself: zonestead acme present|cleanup _acme-challenge.example.org VALUE';

/**
 * The events of dehydrated that are not challenges. It requires that a hook ignores unknown events, and sends one as a
 * test.
 */
const DEHYDRATED_EVENT =
  /^(deploy|unchanged|sync)_(cert|ocsp)$|^invalid_challenge$|^request_failure$|^generate_csr$|^(startup|exit)_hook$|^this_hookscript_is_broken/;

/** @throws Error with a message for people if no known client uses these arguments */
export function readOrder(words: readonly string[], environment: Readonly<Record<string, string | undefined>>): Order {
  const [verb, ...rest] = words;
  switch (verb) {
    case undefined:
      return certbot(environment);
    case 'present':
    case 'cleanup':
      return order(verb, rest[0] === '--' ? raw(verb, rest.slice(1)) : named(verb, rest));
    case 'add':
    case 'rm':
      return order(verb === 'add' ? 'present' : 'cleanup', named(verb, rest));
    case 'deploy_challenge':
    case 'clean_challenge':
      return order(verb === 'deploy_challenge' ? 'present' : 'cleanup', triples(verb, rest));
    case 'begin':
    case 'done':
    case 'failed':
      return order(verb === 'begin' ? 'present' : 'cleanup', uacme(verb, rest));
  }
  if (DEHYDRATED_EVENT.test(verb)) return { kind: 'ignore' };
  throw new Error(`"${verb}" is not a request of an ACME client. ${USAGE}`);
}

function order(kind: 'present' | 'cleanup', challenges: CallerChallenge[]): Order {
  return kind === 'present' ? { kind, challenges, more: false } : { kind, challenges };
}

function certbot(environment: Readonly<Record<string, string | undefined>>): Order {
  const { CERTBOT_DOMAIN: domain, CERTBOT_VALIDATION: value, CERTBOT_REMAINING_CHALLENGES: left } = environment;
  if (!domain || !value) throw new Error(USAGE);
  const challenges = [challenge(domain, value)];
  if (environment.CERTBOT_AUTH_OUTPUT !== undefined) return { kind: 'cleanup', challenges };
  return { kind: 'present', challenges, more: Number(left ?? 0) > 0 };
}

function named(verb: string, [name, value, ...more]: readonly string[]): CallerChallenge[] {
  if (!name || !value || more.length > 0) throw new Error(`"${verb}" needs a name and a value.`);
  return [{ name: plainName(name), value: valueIn(value) }];
}

/** RFC 8555 8.4: the value is the SHA-256 of the key authorization, in base64url. */
function raw(verb: string, [domain, token, keyAuth, ...more]: readonly string[]): CallerChallenge[] {
  if (!domain || token === undefined || !keyAuth || more.length > 0) {
    throw new Error(`"${verb} --" needs a domain, a token and a key authorization (EXEC_MODE=RAW).`);
  }
  return [challenge(domain, createHash('sha256').update(keyAuth).digest('base64url'))];
}

/** With HOOK_CHAIN=yes, one call of dehydrated contains all challenges. */
function triples(verb: string, words: readonly string[]): CallerChallenge[] {
  if (words.length === 0 || words.length % 3 !== 0) {
    throw new Error(`"${verb}" needs a domain, a token and a value for each challenge.`);
  }
  return Array.from({ length: words.length / 3 }, (_, at) => challenge(words[3 * at] ?? '', words[3 * at + 2] ?? ''));
}

function uacme(verb: string, [type, domain, _token, value]: readonly string[]): CallerChallenge[] {
  if (type !== 'dns-01')
    throw new Error(`A challenge of type ${type ?? '(none)'} cannot be solved with DNS. uacme tries another type.`);
  if (!domain || !value) throw new Error(`"${verb}" needs a type, a domain, a token and a value.`);
  return [challenge(domain, value)];
}

/** The challenge of a wildcard is at the parent name of the wildcard (RFC 8555 section 8.4). */
function challenge(domain: string, value: string): CallerChallenge {
  return { name: `_acme-challenge.${plainName(domain).replace(/^\*\./, '')}`, value: valueIn(value) };
}

/** The owner of the record ends in the value. */
function valueIn(text: string): string {
  if (/^[A-Za-z0-9_-]{1,255}$/.test(text)) return text;
  throw new Error(`"${text}" is not the value of a DNS-01 challenge: 1 to 255 characters of base64url.`);
}
