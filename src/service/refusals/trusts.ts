// Refusals about trusts, and of the tokens that they are for. A token cannot be guessed, so its holder learns why it is
// refused.
import type { RefusalText } from './rule.ts';

export const TRUST_REFUSALS = {
  'no-trust': { code: 'not_found', sentence: 'No such trust of this team.' },
  'trust-ended': { code: 'conflict', sentence: 'This trust is revoked permanently; create a new one.' },
  'trust-issuer-fixed': {
    code: 'bad_request',
    field: 'issuer',
    sentence: 'the issuer of a trust cannot change, because its subjects belong to it; create another trust.',
  },
  'trust-audience-taken': {
    code: 'bad_request',
    field: 'audience',
    sentence:
      'the audience {audience} of this issuer belongs to another team, and a token belongs to one trust: use {own}, which only your team may use, and request the tokens for it.',
  },
  'trust-issuer-reserved': {
    code: 'bad_request',
    field: 'issuer',
    sentence:
      'tokens of the cluster of this service have the issuer {issuer}, so only its administrator can trust it, by "zonestead admin trusts create". A cluster of your own needs an issuer of its own (--service-account-issuer of kube-apiserver).',
  },
  'no-trust-subject': {
    code: 'not_found',
    field: 'subject',
    sentence: 'the trust {trust} has no subject {subject}: a subject is known from its first request on.',
  },
  'trust-pins-nothing': {
    code: 'conflict',
    sentence: 'The trust {trust} does not pin its subjects, so every token of a subject is accepted already.',
  },
  'token-unreadable': {
    code: 'bad_request',
    field: 'token',
    sentence: '{problem}',
    about: 'The text to test is not a JSON Web Token, or it is too large.',
  },
  'token-not-read': {
    code: 'unauthorized',
    sentence: '{problem}',
    about: 'The token is too large, or it is not a JSON Web Token in its compact form.',
  },
  'token-without-trust': {
    code: 'unauthorized',
    sentence:
      'No trust accepts this token: none is for its issuer and for the claims that it has. "zonestead trusts test" says why, for each trust.',
  },
  'token-refused': {
    code: 'unauthorized',
    sentence: '{problem}',
    about:
      'A trust is for the issuer and the claims of the token, but the token is not valid: its signature, its audience or its times are wrong. The message says which. Request a new token, for the audience of the trust and with a lifetime of at most an hour.',
  },
  'token-key-not-read': {
    code: 'unauthorized',
    sentence:
      '{problem} If the key is new, retry in {seconds} s: the service reads the keys of an issuer at most once a minute.',
    about:
      'No key that the service has read verifies the token, and the service may not read the keys of the issuer again yet. `Retry-After` says when it may. A token with a new key of the issuer is accepted then. If the refusal stays, the token has another issuer, or it is forged.',
  },
  'token-issuer-away': {
    code: 'busy',
    sentence: '{problem}',
    about:
      'The service needs the public keys of the issuer to check the token, and could not get them. Retry; the issuer must be reachable from the service.',
  },
  'token-trust-expired': {
    code: 'unauthorized',
    sentence: 'The trust {trust}, which accepts this token, has expired: set a later end, or create another trust.',
  },
  'token-network': {
    code: 'unauthorized',
    sentence: 'The trust {trust}, which accepts this token, may not be used from the address {address}.',
  },
  'token-claims': {
    code: 'unauthorized',
    sentence: 'The trust {trust} accepts this token, but its names cannot be made from the claims. {problem}',
  },
  'token-subject-pinned': {
    code: 'unauthorized',
    sentence:
      'The trust {trust} knows the subject {subject} with the UID {pinned}, and this token has the UID {uid}: the namespace or the service account was deleted and created again, perhaps by another person. If this is intended: zonestead trusts accept {trust} {subject} --uid {uid}',
  },
  'token-without-uid': {
    code: 'unauthorized',
    sentence:
      'The trust {trust} pins the UID of service accounts, and this token has no claim kubernetes.io.serviceaccount.uid. Use a token of a service account, or set "pinSubjects" of the trust to false.',
  },
  'token-subjects': {
    code: 'unauthorized',
    sentence: 'The trust {trust} has {limit} subjects, which is the maximum. Create another trust for new subjects.',
  },
  'token-registers-account': {
    code: 'forbidden',
    sentence:
      'A token cannot register an acme-dns account, because the account would outlive the token: write challenges with the token itself, or register with an app key.',
  },
} as const satisfies Record<string, RefusalText>;
