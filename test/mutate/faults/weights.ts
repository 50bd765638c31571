// Faults of weights.
import type { Fault } from '../fault.ts';
import { noticedIn } from './fault.ts';

const PURE = 'src/nameserver/knot/weights.ts';
const pure = noticedIn('weights', 'test/unit/nameserver/weights.test.ts', PURE);
const members = noticedIn('weights', 'test/unit/dns/members.test.ts', 'src/dns/members.ts');
const shown = noticedIn('weights', 'test/unit/diagnosis/checks.test.ts', 'src/diagnosis/zone-checks.ts');
const merged = noticedIn('weights', 'test/unit/nameserver/knot-plan.test.ts', 'src/nameserver/knot/exported.ts');

export const WEIGHT_FAULTS: readonly Fault[] = [
  shown('evenly', 'doctor names no node that answers weights evenly', '(evenly ? [name] : [])', '[]'),
  pure(
    'occluded',
    'a node answers with authority below a delegation',
    "    if (namesAbove(set.name).some((name) => has(name, 'NS', 'DNAME'))) return false;\n",
    '',
  ),
  pure(
    'gone',
    'a node answers with records that the zone no longer has',
    'hasSameRecords(each, set)) ?? false',
    'true) ?? true',
  ),
  pure(
    'share',
    'the last records of a name are never drawn',
    'Math.round(sum * scale)',
    'Math.floor(sum * scale * 0.5)',
  ),
  pure('many', 'a tenant makes a node sign any number of records at each change', 'if (count > MAX_DRAWS) break;', ''),
  members(
    'wildcard',
    'an answer of a wildcard is drawn without its proof',
    "weight && name.startsWith('*')",
    'weight === 0',
  ),
  members(
    'mixture',
    'a record without a weight is never drawn',
    '({ weight = 1 }) => weight',
    '({ weight = 0 }) => weight',
  ),
  merged(
    'stale',
    'a Knot without the module does not start with the configuration of another',
    'if (isOfWeights(exportedGroup)) continue;',
    '',
  ),
];
