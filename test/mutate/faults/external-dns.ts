// Faults in the webhook provider of external-dns, and in the rule of the service that it relies on.
import type { Fault } from '../fault.ts';

const OWNER = 'src/external-dns/owner.ts';
const PLAN = 'src/external-dns/plan.ts';
const BRAKE = 'src/external-dns/brake.ts';
const ENDPOINTS = 'src/external-dns/endpoints.ts';
const AMONG = 'src/service/owners/only-among.ts';
const UNIT = 'test/unit/external-dns/plan.test.ts';
const OWNERS = 'test/integration/external-dns/owners.test.ts';
const RULE = 'test/integration/service/owners/only-among.test.ts';

const fault = (name: string, breaks: string, test: string, file: string, find: string, replace: string): Fault => ({
  name: `external-dns-${name}`,
  breaks,
  edits: [{ file, find, replace }],
  project: test === UNIT ? 'unit' : 'integration',
  tests: [test],
});

export const EXTERNAL_DNS_FAULTS: readonly Fault[] = [
  fault(
    'prefix',
    'an instance sees the records of another whose id begins like its own',
    OWNERS,
    OWNER,
    'Id}/`;',
    'Id}`;',
  ),
  fault(
    'foreign',
    'an instance adds values to names of others',
    OWNERS,
    PLAN,
    ': { onlyAmong: buildInstancePrefix(ownerId) }',
    ': {}',
  ),
  fault('share', 'an instance shares values without being told to', OWNERS, PLAN, '...(share ?', '...(ownerId ?'),
  fault('adopt', 'an instance adopts records without being told to', OWNERS, PLAN, '...(adopt ?', '...(ownerId ?'),
  fault(
    'transfer',
    'a name keeps its first object when another one takes it over',
    UNIT,
    PLAN,
    '.filter((set) => set.owner !== owner)',
    '.filter(() => endpoint === null)',
  ),
  fault(
    'object',
    'external-dns does not learn which object has a name',
    UNIT,
    OWNER,
    "...(object.includes('/') ?",
    "...(object === '' ?",
  ),
  fault(
    'order',
    'an address takes the name of a CNAME before it is released',
    UNIT,
    PLAN,
    '    return releasesFirst(sets);',
    '    return sets.reverse();',
  ),
  fault('drift', 'changes by others are not repaired', OWNERS, ENDPOINTS, '...(set.drifted ||', '...('),
  fault(
    'registry',
    'a refused record leaves its entry of the registry',
    OWNERS,
    PLAN,
    "!useless.has(set.name ?? '')",
    'useless.size >= 0',
  ),
  fault(
    'half',
    'a round may delete everything',
    UNIT,
    BRAKE,
    'return round.length > 0 && isMassDeletion(',
    'return round.length < 0 && isMassDeletion(',
  ),
  fault('window', 'a mass deletion passes piece by piece', UNIT, BRAKE, 'now - at < WINDOW_MS', 'now - at < 0'),
  fault(
    'retry',
    'a deletion that is tried again counts twice',
    UNIT,
    BRAKE,
    'return union(recent.keys(), round).size',
    'return recent.size + round.length',
  ),
  fault(
    'hold',
    'the rest of a mass deletion passes after some minutes',
    UNIT,
    BRAKE,
    '.map((place) => [place, now])',
    '.map((place) => [place, recent.get(place) ?? now])',
  ),
  fault(
    'among-strangers',
    'an owner begins next to strangers',
    RULE,
    AMONG,
    'if (owner !== set.owner && ',
    'if (owner === null && ',
  ),
  fault(
    'among-unowned',
    'an owner begins next to records without an owner',
    RULE,
    AMONG,
    'if (!isOwned && !adopts(record))',
    'if (false)',
  ),
  fault(
    'among-types',
    'an address of another type is added to a name',
    RULE,
    AMONG,
    'one === other ||',
    'one === other; //',
  ),
  fault(
    'among-adopt',
    'a record that is not adopted does not keep others away',
    RULE,
    AMONG,
    'adoptedIds.has(record.id) &&',
    '',
  ),
  fault(
    'among-keeps',
    'an owner loses its place when others come',
    RULE,
    'src/service/owners/judge-sets.ts',
    'const startRefusal = ownSet ? null :',
    'const startRefusal =',
  ),
];
