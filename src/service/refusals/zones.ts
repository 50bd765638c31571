// Refusals about zones: names, owners, zone files and their restrictions.
import type { RefusalText } from './rule.ts';

export const ZONE_REFUSALS = {
  'no-zone': { code: 'no_zone', sentence: 'No such zone, or it does not belong to this account.' },
  'zone-not-found': { code: 'not_found', sentence: 'No such zone, or it does not belong to this account.' },
  'no-enclosing-zone': { code: 'not_found', sentence: 'No zone of this account encloses {name}.' },
  'zone-not-named': {
    code: 'bad_request',
    sentence: 'This key sees {found}: send the zone, or a name in a zone, as the user name of the key.',
  },
  'zone-exists': { code: 'conflict', field: 'zoneName', sentence: '{name} exists already.' },
  'own-zone-exists': { code: 'conflict', field: 'zoneName', sentence: '{name} exists already{where}, as {id}.' },
  'zone-overlaps': { code: 'conflict', field: 'zoneName', sentence: '{name} overlaps with a zone of another team.' },
  'zone-quarantined': {
    code: 'conflict',
    field: 'zoneName',
    sentence:
      '{name} is, or overlaps with, the name of a zone that another team deleted. It is kept for that team until {until}; the administrator of the service can release it earlier ("zonestead admin zones release").',
  },
  'zone-held': {
    code: 'conflict',
    field: 'zoneName',
    sentence:
      '{name} is, or overlaps with, {held}, which the name servers have and the database lacks: it may have been restored to an earlier time. The administrator of the service can bring the zone back with its key ("zonestead admin nodes salvage --zone {held}"), or let it go ("zonestead admin nodes accept-removals"). Name servers hold such a zone for 24 hours.',
  },
  'zone-hides-records': {
    code: 'conflict',
    field: 'zoneName',
    sentence:
      'the zone {parent} ({id}) holds {count} record(s) at or below {name}, which the new zone would hide: {names}. Delete them there first, then create them in the new zone.',
  },
  'zone-below-dname': {
    code: 'conflict',
    field: 'zoneName',
    sentence:
      'the zone {parent} ({id}) has a DNAME record at {at}, which redirects {name} and all other names below it. Delete the DNAME first, or choose another name.',
  },
  'public-suffix': {
    code: 'forbidden',
    field: 'zoneName',
    sentence:
      '{name} is a public suffix, below which the public can register names; create a zone for a name below it.',
  },
  'reserved-name': {
    code: 'forbidden',
    field: 'zoneName',
    sentence:
      '{name} is {place}reserved for {purpose} ({source}). The administrator of the service can allow it with ZONESTEAD_RESERVED_NAMES={reserved}.',
  },
  'app-owner': {
    code: 'forbidden',
    sentence: 'An app can only create zones in its own team: set "owner" to "{owner}".',
  },
  'bad-owner': {
    code: 'bad_request',
    field: 'owner',
    sentence: 'must be "org:<teamId>", or "personal", which is the default.',
  },
  'foreign-owner': {
    code: 'forbidden',
    field: 'owner',
    sentence: 'you can only create zones in a team that you are a member of, or "personal".',
  },
  'key-roll-under-way': {
    code: 'conflict',
    sentence:
      'a key roll is under way: the key {tag} is {state}. Wait for its end, or cancel it ("zonestead zones keys cancel").',
  },
  'key-of-other-zone': {
    code: 'conflict',
    field: 'key.privateKey',
    sentence:
      'another zone has this key. Each zone needs a key of its own: roll this one to a new key at its present name servers, and import that key.',
  },
  'no-key-roll': { code: 'conflict', sentence: 'no key roll of this zone is under way.' },
  'key-roll-too-late': {
    code: 'conflict',
    sentence:
      'the new key signs the zone already, and the parent has its DS records, so the roll can no longer be cancelled. Wait for its end, and roll to another key.',
  },
  'no-ds-awaited': {
    code: 'conflict',
    sentence: 'no key roll of this zone waits for the DS records at the parent ("zonestead zones keys status").',
  },
  'secondary-not-offered': {
    code: 'forbidden',
    field: 'secondaries',
    sentence:
      'the secondary {name} is not offered to the owner of this zone. Offered: {offered}. The administrator of the service can offer more ("zonestead admin secondaries").',
  },
  'too-many-secondaries': {
    code: 'bad_request',
    field: 'secondaries',
    sentence: 'choose at most {limit} secondaries for a zone.',
  },
  'zone-file-refused': {
    code: 'bad_request',
    sentence: 'The zone file is not accepted, and nothing was changed. {problems}',
  },
  'zone-file-not-utf8': { code: 'bad_request', sentence: 'The zone file is not in UTF-8.' },
  'zone-file-characters': {
    code: 'bad_request',
    field: 'file',
    sentence: 'A zone file must not hold a NUL or half of a surrogate pair.',
  },
  'zone-file-outdated': {
    code: 'conflict',
    sentence: 'The zone was changed meanwhile, so nothing was imported. This is the difference now.',
  },
} as const satisfies Record<string, RefusalText>;
