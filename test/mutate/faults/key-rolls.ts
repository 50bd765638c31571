// Faults in the rolls of DNSSEC keys.
import type { Fault } from '../fault.ts';
import { fault } from './fault.ts';

const MODEL = 'test/unit/dns/key-roll.test.ts';
const LOOK = 'test/unit/service/key-rolls/look.test.ts';
const ROLL = 'test/integration/service/key-rolls/roll.test.ts';
const PARENT = 'test/integration/service/key-rolls/parent.test.ts';

export const KEY_ROLL_FAULTS: readonly Fault[] = [
  fault(
    'key-rolls-turns',
    'an owner with many key rolls holds up those of others',
    ['src/store/zone-keys.ts', 'order by due.turn, due.look_at', 'order by due.look_at'],
    'integration',
    'test/integration/store/zone-keys.test.ts',
  ),
  fault(
    'key-rolls-cancel',
    'a cancelled roll deletes a key whose DS records the parent may have',
    ['src/dns/dnssec/key-roll.ts', "to: 'withdrawn' }];", 'to: null }];'],
    'unit',
    MODEL,
  ),
  fault(
    'key-rolls-algorithm',
    'a key of another algorithm is published before the zone is signed with it',
    ['src/dns/dnssec/key-roll.ts', "? 'presigning' : 'published'", "? 'published' : 'published'"],
    'unit',
    MODEL,
  ),
  fault(
    'key-rolls-old-algorithm',
    'the signatures of the old algorithm go with the DS record',
    ['src/dns/dnssec/key-roll.ts', "? 'postsigning' : 'retired';", "? 'retired' : 'retired';"],
    'unit',
    MODEL,
  ),
  fault(
    'key-rolls-hold',
    'a step is taken before resolvers have forgotten what was there before it',
    ['src/service/key-rolls/look.ts', 'if (end <= now)', 'if (shownSince <= now)'],
    'unit',
    LOOK,
  ),
  fault(
    'key-rolls-confirmed',
    'the word of a person counts against the servers of the parent',
    ['src/service/key-rolls/look.ts', '(isAsked || carrier.shownSince === null)', '(carrier.shownSince === null)'],
    'unit',
    LOOK,
  ),
  fault(
    'key-rolls-first-server',
    'one server of the parent proves the DS records',
    ['src/dns/dnssec/key-sightings.ts', 'problem, ds } of servers) {', 'problem, ds } of servers.slice(0, 1)) {'],
    'integration',
    PARENT,
  ),
  fault(
    'key-rolls-digest',
    'a DS record counts by its key tag alone',
    [
      'src/dns/dnssec/key-sightings.ts',
      'return dsDigest(zone, dnskeyRdata(key), digestType) === digest;',
      'return dsDigest(zone, dnskeyRdata(key), digestType) !== null || digest === null;',
    ],
    'integration',
    PARENT,
  ),
  fault(
    'key-rolls-rights',
    'a key that only reads zones begins a key roll',
    [
      'src/service/key-rolls/roll.ts',
      `mustManageZones(caller.actor);\n    mustMatchZone(caller, zone, context);\n    const keys = await listZoneKeys(tx, zone.id);\n    const step = currentStep(keys);\n    if (step !== null)`,
      `mustMatchZone(caller, zone, context);\n    const keys = await listZoneKeys(tx, zone.id);\n    const step = currentStep(keys);\n    if (step !== null)`,
    ],
    'integration',
    ROLL,
  ),
  fault(
    'key-rolls-shortcut',
    'signatures of an old algorithm stay after its key',
    ['src/nameserver/knot/zones.ts', 'isSignedWith(signers, keys);', 'signers.keys.length === 1;'],
    'integration',
    ROLL,
  ),
  fault(
    'knot-key-times',
    'a zone has no key until the clock has passed the time of its import',
    ['src/nameserver/knot/keys.ts', ', ...times];', ", ...times.filter((word) => word.endsWith('=0'))];"],
    'integration',
    'test/integration/nameserver/node/clock.test.ts',
  ),
  fault(
    'key-rolls-server-order',
    'a roll names another server of the parent at each look',
    ['src/nameserver/probe/parent.ts', 'names.sort().map', 'names.map'],
    'integration',
    PARENT,
  ),
  fault(
    'key-rolls-former-ttl',
    'the old key goes while resolvers keep records with a TTL that was lowered',
    ['src/store/zone-keys.ts', "c.at > $2::timestamptz - interval '1 day'", 'false'],
    'integration',
    ROLL,
  ),
];
