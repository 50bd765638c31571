// Records by which a tenant that may write `*.dev`, and not `dev`, tries to get a certificate for `dev`. The tests of
// the service and of the operator make the same attempts.

import type { RecordType } from '#dns/types/index.ts';

/** A record, with the name relative to its zone. */
export type Attempt = readonly [name: string, type: RecordType, content: string];

/** Each proves control of `dev`, or leads a CA to a record that does. */
export const ATTEMPTS: readonly Attempt[] = [
  ['_acme-challenge.dev', 'TXT', '"proof"'],
  ['_ACME-Challenge.dev', 'TXT', '"proof"'],
  ['_validation-persist.dev', 'TXT', '"letsencrypt.org; accounturi=https://ca.example/1"'],
  ['_account._acme-challenge.dev', 'TXT', '"proof"'],
  ['*._acme-challenge.dev', 'TXT', '"proof"'],
  ['_acme-challenge.dev', 'CNAME', 'proof.attacker.example.'],
  ['_acme-challenge.dev', 'NS', 'ns.attacker.example.'],
  ['_acme-challenge.dev', 'DNAME', 'attacker.example.'],
  ['_acme-challenge.dev', 'ALIAS', 'attacker.example.'],
  ['_acme-challenge.dev', 'TYPE65280', '\\# 1 00'],
  ['below._acme-challenge.dev', 'NS', 'ns.attacker.example.'],
  ['below._acme-challenge.dev', 'A', '192.0.2.1'],
  ['*.dev', 'TXT', '"proof"'],
  ['*.dev', 'CNAME', 'proof.attacker.example.'],
  ['*.dev', 'CAA', '0 contactemail "me@attacker.example"'],
  ['_3f2a.dev', 'CNAME', '_9c1d.acm-validations.example.'],
  ['_dnsauth.dev', 'TXT', '"proof"'],
  ['_validation-contactemail.dev', 'TXT', '"me@attacker.example"'],
  ['_dnsauth.dev', 'NS', 'ns.attacker.example.'],
];

/** Records that `*.dev` has always permitted, and that prove nothing about `dev`. */
export const ORDINARY: readonly Attempt[] = [
  ['_acme-challenge.shop.dev', 'TXT', '"proof"'],
  ['_account._acme-challenge.shop.dev', 'TXT', '"proof"'],
  ['_validation-persist.shop.dev', 'TXT', '"letsencrypt.org; accounturi=https://ca.example/1"'],
  ['*.shop.dev', 'TXT', '"proof"'],
  ['*.dev', 'A', '192.0.2.1'],
  ['*.dev', 'AAAA', '2001:db8::1'],
  ['*.dev', 'MX', '10 mail.example.net.'],
  ['_sip._tcp.dev', 'SRV', '0 0 5060 sip.example.net.'],
  ['_443._tcp.dev', 'TLSA', '3 1 1 0c72ac70b745ac19998811b131d662c9ac69dbdbe7cb23e5b514b56664c5d3d6'],
  ['selector._domainkey.dev', 'TXT', '"v=DKIM1; p="'],
];

/** The fields of a record in a request, or in the spec of a DNSRecord. */
export const toFields = ([name, type, content]: Attempt) => {
  if (type !== 'MX') return { name, type, content };
  const [priority, exchange] = content.split(' ');
  return { name, type, content: exchange, priority: Number(priority) };
};
