// Refusals about records: rights, form, and conflicts with other records of the zone. The DNS rules (#dns/rules) write the
// sentences about conflicts, and these refusals list the ids of the conflicting records.
import type { ConflictRule } from '#dns/verdict.ts';
import type { RefusalText } from './rule.ts';

/** A DNS rule, which writes its sentence itself. */
function conflicts<const About extends string>(about: About) {
  return { code: 'conflict', sentence: '{problem}', about } as const;
}

const CONFLICTS = {
  duplicate: conflicts('The same record exists already, perhaps in another spelling.'),
  'cname-alone': conflicts('A CNAME cannot share its name with any other record.'),
  'alias-alone': conflicts('An ALIAS cannot share its name with A, AAAA or another ALIAS.'),
  'null-mx-alone': conflicts('A null MX must be the only MX record of its name.'),
  'ds-needs-ns': conflicts(
    'A DS record needs NS records at the same name; the last of those cannot be deleted before it.',
  ),
  'in-child-zone': conflicts('The name lies in another zone of this service.'),
  'below-delegation': conflicts('The name lies at or below a delegation, so the record would never be served.'),
  'hides-records': conflicts('A new delegation would hide existing records.'),
  'https-alias-single': conflicts('A name has at most one HTTPS record in alias form.'),
  'alias-loop': conflicts('The CNAME or ALIAS would close a loop.'),
  'alias-chain': conflicts('The CNAME or ALIAS begins a chain of too many links.'),
} as const satisfies Record<ConflictRule, RefusalText>;

export const RECORD_REFUSALS = {
  ...CONFLICTS,
  'no-record': { code: 'not_found', sentence: 'No such record in this zone.' },
  'database-constraint': {
    code: 'conflict',
    field: 'content',
    sentence: 'the database refuses a duplicate or a CNAME at the name of other records ({constraint}).',
  },
  'place-changed': {
    code: 'bad_request',
    sentence:
      'an update keeps name and type, and the stored record is {name} {type}. Create another record and delete this one instead.',
  },
  'neighbours-too-large': {
    code: 'bad_request',
    field: 'changes',
    sentence:
      'The existing records that these changes must be checked against are larger than {mebibytes} MiB in total; send fewer changes at once.',
  },
  'may-not-manage-zones': {
    code: 'forbidden',
    sentence: 'This key may not manage zones: it needs the permission manage-zones at level write.',
  },
  'may-not-read-records': {
    code: 'forbidden',
    sentence: 'This key may not read the records of this zone: it needs records at level read.',
  },
  'may-not-write-records': {
    code: 'forbidden',
    sentence: 'This key may not write the records of this zone: it needs records at level write.',
  },
  'other-types-only': { code: 'forbidden', sentence: 'This key may only write records of type {types}.' },
  'other-names-only': { code: 'forbidden', sentence: 'This key may only write records named {names}.' },
  'sees-a-part': {
    code: 'forbidden',
    sentence: 'This key may only see some names or types, so it may not read a whole zone.',
  },
  'writes-a-part': {
    code: 'forbidden',
    sentence:
      'This key may only write records of some names or types, and a zone file replaces all records; change single records instead.',
  },
  'cname-leaves-account': {
    code: 'not_found',
    sentence: 'The CNAME at {name} leads to {target}, which no zone of this account encloses.',
  },
  'cname-circle': {
    code: 'bad_request',
    sentence: 'The CNAMEs at {name} form a loop, or a chain of more than {limit} names.',
  },
  'challenge-account-person': {
    code: 'forbidden',
    sentence: "Accounts can be registered in the zones of teams only, and this one is a person's.",
  },
  'challenge-account-once': {
    code: 'bad_request',
    field: 'Idempotency-Key',
    sentence:
      'an account cannot be registered with this header, because the service would have to store the answer with the secret. Omit it.',
  },
  'challenge-account-networks': {
    code: 'bad_request',
    field: 'allowfrom',
    sentence: 'this key is restricted to networks, and the account gets the same ones; omit the field.',
  },
  'challenge-account-subdomain': {
    code: 'forbidden',
    field: 'subdomain',
    sentence: 'it is not the one that this account was registered with.',
  },
} as const satisfies Record<string, RefusalText>;
