// Refusals about records: rights, form, and conflicts with other records of the zone. The DNS rules (#dns/rules) write
// the sentences about conflicts, and these refusals list the ids of the conflicting records.
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
  'hides-records': conflicts('A new delegation or DNAME would hide existing records or zones.'),
  'below-dname': conflicts('A DNAME redirects the name, so the record would never be served.'),
  'dname-single': conflicts('A name has at most one DNAME record.'),
  'alias-form-single': conflicts('A name has at most one HTTPS record, and one SVCB record, in alias form.'),
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
  'no-such-check': {
    code: 'bad_request',
    field: 'check',
    sentence: 'The team or person of the zone has no check of this name. Create the check first, and then the record.',
    about: 'A record names a check that does not exist.',
  },
  'place-changed': {
    code: 'bad_request',
    sentence:
      'an update keeps name and type, and the stored record is {name} {type}. Create another record and delete this one instead.',
  },
  'comments-too-large': {
    code: 'bad_request',
    field: 'comment',
    sentence:
      'The comments of all records at one name must not exceed {kibibytes} KiB together; write shorter comments.',
  },
  'neighbours-too-large': {
    code: 'bad_request',
    field: 'changes',
    sentence:
      'The existing records that these changes must be checked against are larger than {mebibytes} MiB in total; send fewer changes at once.',
  },
  'update-refused': {
    code: 'bad_request',
    sentence: '{problem}',
    about: 'A DNS update (RFC 2136) asks for a record that the service does not accept, or makes itself.',
  },
  'update-malformed': {
    code: 'bad_request',
    sentence: 'The message is malformed: {problem}.',
    about: 'A DNS update (RFC 2136) has a valid signature and is not a DNS message, or not an update.',
  },
  'update-too-long': {
    code: 'bad_request',
    sentence: 'A DNS update has at most {limit} prerequisites and {limit} changes; send several.',
  },
  'owner-holds-too-much': {
    code: 'bad_request',
    field: 'owner',
    sentence:
      'The owners of this request hold more than {limit} sets in this zone, which is too much for one change; release them name by name.',
  },
  'value-twice': {
    code: 'bad_request',
    sentence: 'this is the same value as values.{index}, perhaps in another spelling; send each value once.',
  },
  'lease-out-of-range': {
    code: 'bad_request',
    field: 'expires',
    sentence: 'is {given}; it must be later than now ({now}), and at most 24 hours ahead ({latest}).',
  },
  'release-and-sets': {
    code: 'bad_request',
    field: 'release',
    sentence: 'a request that releases everything of an owner cannot have other sets of this owner; send two requests.',
  },
  'exact-and-others': {
    code: 'bad_request',
    field: 'exact',
    sentence: 'must be the same in all sets of an owner: exact sets are everything that the owner has in the zone.',
  },
  'place-twice': {
    code: 'bad_request',
    field: 'name',
    sentence:
      'the request has another set of this owner at this name and type, which says something else; send one of them.',
  },
  'owner-refused': {
    code: 'conflict',
    field: 'exact',
    sentence:
      'another exact set of {owner} was refused, and the exact sets of an owner are applied together; correct that one.',
  },
  'generation-back': {
    code: 'conflict',
    field: 'generation',
    sentence:
      'is {generation}, but generation {applied} of this owner was applied already; read the object again. If its cluster was restored from a backup, an owner of the team accepts the older objects with "zonestead clusters accept-older".',
  },
  'generation-reused': {
    code: 'conflict',
    field: 'generation',
    sentence:
      'generation {generation} of this owner was applied with another name, type, TTL or other values; a change of them needs a new generation. If its cluster was restored from a backup, an owner of the team accepts the older objects with "zonestead clusters accept-older".',
  },
  'value-owned': {
    code: 'conflict',
    sentence: 'the value {content} belongs to {owner}. To own it together, both must send "share": true.',
  },
  'owner-keeps-value': {
    code: 'conflict',
    sentence: 'the value {content} belongs to {owner}, which does not share it; it must send "share": true as well.',
  },
  'value-shared': {
    code: 'conflict',
    sentence: 'the value {content} is shared by {owner}; send "share": true to own it together.',
  },
  'name-taken': {
    code: 'conflict',
    field: 'name',
    sentence:
      'the name has {type} records of {owner}. Choose another name, release those records, or omit "onlyAmong" to add values to them.',
  },
  'name-taken-unowned': {
    code: 'conflict',
    field: 'name',
    sentence:
      'the name has {type} records without an owner. Choose another name, delete those records, or omit "onlyAmong" to add values to them.',
  },
  'value-unowned': {
    code: 'conflict',
    sentence:
      'the value {content} exists already, without an owner. Delete that record, or send "adopt": "IfIdentical" to become its owner.',
  },
  'adopt-not-identical': {
    code: 'conflict',
    sentence:
      'the existing record has a TTL of {stored} seconds, and this set has {given}; IfIdentical adopts a record with the same value and TTL only.',
  },
  'too-many-owners': {
    code: 'conflict',
    sentence: 'the value has {limit} owners already, which is the most that can share it.',
  },
  'too-many-sets': {
    code: 'forbidden',
    field: 'owner',
    sentence: 'Owners hold {limit} record sets, the maximum for a zone with {records} records. Release some first.',
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
  'proves-other-name': {
    code: 'forbidden',
    sentence:
      'This key may only write records named {names}, and {type} at {name} proves control of {proven} to a certificate authority. To permit it, add {proven} to the names of the key, or this name with its label that begins with "_".',
  },
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
