// Faults in the lookups of targets, and in the list of dangling names.
import type { Fault } from '../fault.ts';
import { noticedBy } from './fault.ts';

const lookups = noticedBy('dangling', 'test/integration/nameserver/resolver/dangling.test.ts');
const list = noticedBy('dangling', 'test/integration/service/dangling/list.test.ts');
const bounds = noticedBy('dangling', 'test/integration/nameserver/resolver/dangling-bounds.test.ts');
const plan = noticedBy('dangling', 'test/unit/nameserver/target-plan.test.ts');
const condition = noticedBy('dangling', 'test/unit/operator/targets.test.ts');

const PLAN = 'src/nameserver/resolver/target-plan.ts';
const TARGETS = 'src/nameserver/resolver/targets.ts';
const LIST = 'src/store/dangling-names.ts';
const HOSTED = 'src/store/hosted-names.ts';
const STORE = 'src/store/record-targets.ts';

export const DANGLING_FAULTS: readonly Fault[] = [
  plan('once', 'one absence is enough', PLAN, 'Math.min(CONFIRMATIONS, before.absences + 1)', 'CONFIRMATIONS'),
  plan(
    'at-once',
    'absences are confirmed without an hour between them',
    PLAN,
    'const confirmMs = Math.min(times.confirmMs, times.everyMs)',
    'const confirmMs = 0',
  ),
  plan(
    'unknown',
    'a lookup without a result ends a row of absences',
    PLAN,
    'const { absences } = before;',
    'const absences = 0;',
  ),
  lookups(
    'silence',
    'a resolver that fails counts as an absence',
    TARGETS,
    "return { found: 'unknown', problem: error.message };",
    "return { found: 'absent', name, isDomainAbsent: false };",
  ),
  lookups(
    'null',
    'the root as a target is looked up',
    TARGETS,
    "name === '' ? null : registrableDomain(name)",
    'registrableDomain(name)',
  ),
  lookups(
    'private',
    'names of private networks are judged by the public DNS',
    TARGETS,
    'if (isPrivateUse(name, privateTlds))',
    'if (isPrivateUse(name, privateTlds) && false)',
  ),
  lookups(
    'foreign',
    "another team's zone is judged by its records",
    TARGETS,
    'zone !== null && zone.owner === owner',
    'zone !== null',
  ),
  lookups(
    'trust',
    "the own name server decides about another team's zone",
    'src/nameserver/resolver/trusted-names.ts',
    'zone === null || zone.owner === owner',
    'zone !== undefined',
  ),
  lookups(
    'domain',
    'a domain that does not exist is not told from a name',
    TARGETS,
    '!(await resolve(domain, ',
    'null === (await resolve(domain, ',
  ),
  lookups('chain', 'the end of a chain of CNAMEs is not named', TARGETS, 'name: end,', 'name,'),
  lookups(
    'wildcard',
    'a name that a wildcard answers counts as missing',
    HOSTED,
    "ltrim(e.ordername || ' *')",
    "ltrim(e.ordername || ' +')",
  ),
  lookups(
    'encloser',
    'a wildcard answers names below an existing name',
    HOSTED,
    'order by step limit 1',
    'order by step',
  ),
  lookups(
    'below',
    'an empty non-terminal counts as missing',
    HOSTED,
    "BELOW('$2::text', 'r.ordername')",
    "BELOW('$2::text', 'r.id')",
  ),
  lookups(
    'cut',
    'a name below a delegation is judged by the rows of the parent',
    HOSTED,
    "if (row?.elsewhere) return 'elsewhere';",
    '',
  ),
  list(
    'challenge',
    'the target of a challenge counts as dangling',
    LIST,
    'and (t.is_domain_absent or not ',
    'and (true or not ',
  ),
  list('unconfirmed', 'a first absence is listed', LIST, 'where t.absences >= ', 'where 2 + t.absences >= '),
  list(
    'tenant',
    'a target is listed for the records of every team',
    LIST,
    'and coalesce(z.team_id, z.user_id) = t.owner',
    '',
  ),
  list(
    'except',
    'a zone is listed that the key must not read',
    LIST,
    'and z.id <> all($4::text[])',
    'and $4::text[] is not null',
  ),
  list(
    'narrow',
    'a key for some types sees all',
    LIST,
    '($6::text[] is null or r.type = any($6::text[]))',
    '($6::text[] is null or true)',
  ),
  list(
    'rights',
    'a key without rights on records lists names',
    'src/service/dangling/list.ts',
    "if (!mayRead) throw refusal('may-not-read-records');",
    '',
  ),
  list(
    'pages',
    'a page begins with the last row of the page before',
    LIST,
    '(t.target, r.zone_no, r.id) > ',
    '(t.target, r.zone_no, r.id) >= ',
  ),
  lookups(
    'forgotten',
    'a target that no record has is looked up without end',
    STORE,
    'and coalesce(z.team_id, z.user_id) = a.owner`,',
    'or true`,',
  ),
  bounds(
    'starved',
    'the oldest backlog of a domain has all its lookups',
    'src/store/due-targets.ts',
    'turn, random()) t',
    'turn, due_at) t',
  ),
  bounds('flood', 'many names of one domain are looked up at once', STORE, "once: 'domain',", ''),
  bounds(
    'walk',
    'a walk ends with its first step',
    STORE,
    'found.length < rows ? undefined : found.at(-1)',
    'undefined',
  ),
  bounds(
    'double',
    'two replicas look up the same target',
    'src/store/due-targets.ts',
    'set due_at = now() + $4::interval',
    'set due_at = now() + $4::interval * 0',
  ),
  bounds('share', 'one owner has all lookups', TARGETS, 'const EACH = 4;', 'const EACH = 40;'),
  condition(
    'message',
    'the condition changes with each lookup',
    'src/operator/zone/targets.ts',
    'const shown = names.slice(0, SHOWN).map(({ name, type, target, missing, missingName, since }) => {',
    'const shown = names.slice(0, SHOWN).map(({ name, type, target, missing, missingName, checkedAt: since }) => {',
  ),
  condition(
    'often',
    'the operator asks at each run',
    'src/operator/zone/targets.ts',
    '> clock.now()) return {};',
    '> clock.now() + CHECK_INTERVAL_MS) return {};',
  ),
];
