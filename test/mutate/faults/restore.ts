// Faults in the return of zones and endings from nodes to a restored database.
import type { Fault } from '../fault.ts';
import { fault } from './fault.ts';

export const RESTORE_FAULTS: readonly Fault[] = [
  fault(
    'node-held-more',
    'a zone is created in place of a held one that is not among the first 300',
    ['src/store/held-zones.ts', " from holders where held ? 'more')", ' from holders where false)'],
    'integration',
    'test/integration/service/zones/held.test.ts',
  ),
  fault(
    'node-held-unnamed',
    'a zone is created in place of a held one that no node names',
    ['src/service/zones/held.ts', '  if (isUnnamed) throw busy();\n', ''],
    'integration',
    'test/integration/service/zones/held.test.ts',
  ),
  fault(
    'node-held-unsaid',
    'a node names 300 of the zones that it holds',
    ['src/nameserver/node/report.ts', '...(more.length === 0 ? {} : { more })', ''],
    'unit',
    'test/unit/nameserver/node/restored.test.ts',
  ),
  fault(
    'node-salvage-seal',
    'a copy of a zone that the database did not seal counts next to a sealed one',
    ['src/service/nodes/salvage-choice.ts', 'sealed.length > 0 ? sealed : copies', 'copies'],
    'unit',
    'test/unit/service/nodes/salvage-choice.test.ts',
  ),
  fault(
    'node-salvage-owner',
    'a zone comes back for an owner that nothing proves',
    ['src/service/nodes/salvage.ts', 'const origin = isSealed ? end.origin : null;', 'const { origin } = end;'],
    'integration',
    'test/integration/nameserver/node/salvaged.test.ts',
  ),
  fault(
    'node-salvage-ttl',
    'a salvaged record without a TTL gets that of the record before it',
    ['src/service/nodes/salvage-import.ts', 'const text = `$TTL', 'const text = `; TTL'],
    'unit',
    'test/unit/service/nodes/salvage-import.test.ts',
  ),
  fault(
    'node-salvage-default',
    'a record of a zone that is not sealed loses its TTL when the owner sets the default',
    ['src/service/nodes/salvage-import.ts', 'isSealed ? defaultTtl : null', 'defaultTtl'],
    'unit',
    'test/unit/service/nodes/salvage-import.test.ts',
  ),
  fault(
    'node-salvage-overdue',
    'private keys stay after the end of a request whose command was killed',
    ['src/service/nodes/reports.ts', 'const DROP_EVERY_MS = 10_000;', 'const DROP_EVERY_MS = 3_600_000;'],
    'integration',
    'test/integration/nameserver/node/salvage-killed.test.ts',
  ),
  fault(
    'node-salvage-again',
    'a zone that an earlier command brought back fails the next one',
    ['src/service/nodes/salvage.ts', 'if (present !== undefined)', 'if (present === null)'],
    'integration',
    'test/integration/nameserver/node/salvaged.test.ts',
  ),
  fault(
    'node-salvage-asked',
    'the service takes zones of a node that no administrator asks for',
    ['src/store/salvage.ts', 'where token = $1 and until', 'where until'],
    'integration',
    'test/integration/nameserver/node/salvaged.test.ts',
  ),
  fault(
    'node-held-created',
    'a zone is created in place of one that name servers hold',
    ['src/service/zones/create.ts', '    await mustNotBeHeld(tx, context, name);\n', ''],
    'integration',
    'test/integration/nameserver/node/salvaged.test.ts',
  ),
  fault(
    'node-held-delegation',
    'the delegation of a held zone leaves the zone above',
    ['src/nameserver/node/converge.ts', 'return (name) => kept.some((each) => name === each);', 'return null;'],
    'unit',
    'test/unit/nameserver/node/restored.test.ts',
  ),
  fault(
    'node-endings-seal',
    'an ending that the database did not seal counts',
    ['src/service/nodes/after-restore.ts', 'isSealedEnding(service.secret, ending)', 'ending.seal !== null'],
    'integration',
    'test/integration/nameserver/node/endings.test.ts',
  ),
];
