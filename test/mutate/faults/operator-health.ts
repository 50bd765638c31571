// Faults in the health checks of DNSRecords.
import type { Fault } from '../fault.ts';

const WATCH = 'src/operator/checks/watch.ts';
const HEALTH = 'src/operator/checks/health.ts';
const MEMBERS = 'src/operator/checks/members.ts';
const BENCH = ['test/unit/operator/health.test.ts'];

const fault = (
  name: string,
  breaks: string,
  file: string,
  [find, replace]: readonly [string, string],
  tests: readonly string[] = BENCH,
): Fault => ({ name: `operator-health-${name}`, breaks, edits: [{ file, find, replace }], project: 'unit', tests });

const MEMBER_TESTS = ['test/unit/operator/checks/members.test.ts'];
const NAME_TESTS = ['test/unit/operator/checks/name.test.ts'];
const SWEEP_TESTS = ['test/unit/operator/checks/sweep.test.ts'];
const SCHEMA_TESTS = ['test/unit/operator/resources.test.ts'];

const PROOF: readonly Fault[] = [
  fault('ready', 'an address that fails makes the object not Ready', 'src/operator/run/reconciler.ts', [
    'Healthy: _health, ',
    '',
  ]),
  fault('proof', 'the proof of a record with a check expects all values', 'src/operator/record/prove.ts', [
    'if (there !== null && isSelective(desired))',
    'if (there === null && isSelective(desired))',
  ]),
  fault('proof-absent', 'the proof accepts that a higher tier is answered', 'src/operator/record/prove.ts', [
    'rdatas: expected.length > 0 ? expected.map(({ wire }) => wire) : servedRecords.flatMap(wireOf),',
    'rdatas: values.map(({ wire }) => wire),',
  ]),
  fault('proof-ttl', 'the proof expects a long TTL of a record with a check', MEMBERS, [
    '...(check === undefined ? {} : { check })',
    '...{}',
  ]),
  fault('quiet', 'each probe that changes something applies the records again', 'src/operator/record/reconcile.ts', [
    'if (isUnproven || checkName !== undefined || reverse !== null) appliedValues.unproven();',
    'if (isUnproven) appliedValues.unproven();',
  ]),
  fault('revision', 'the addresses of a check are read in every look', WATCH, [
    'if (listed !== undefined && listed.revision === before?.revision) return;',
    '',
  ]),
  fault('put-once', 'each run puts the check again', HEALTH, [
    'if (known && isSameDefinition(known.definition, check.definition)) return name;',
    '',
  ]),
  fault('changed', 'a definition that another client changed stays', HEALTH, [
    'known && isSameDefinition(known.definition, check.definition)',
    'known',
  ]),
  fault('removed', 'an object keeps its members without its check', HEALTH, [
    'run.fields = { ...run.fields, members: undefined, foundService: undefined };\n    return { Healthy: null };',
    'return {};',
  ]),
];

const TENANCY: readonly Fault[] = [
  fault('guest', 'a record of another namespace uses the checks of the team', 'src/operator/record/reconcile.ts', [
    ' ?? explainForeignCheck(record)',
    '',
  ]),
  fault(
    'reference',
    'a record may name the check of another record',
    'src/base/check-form.ts',
    [' && !name.startsWith(OBJECT_CHECKS)', ''],
    SCHEMA_TESTS,
  ),
  fault('other', 'the checks of another cluster are deleted as leftovers', 'src/operator/checks/name.ts', [
    'if (!name.startsWith(prefixOf(cluster))) return false;',
    '',
  ]),
  fault(
    'namespace',
    'an operator deletes the checks of namespaces that it does not watch',
    'src/operator/checks/name.ts',
    ['if (namespaces === undefined) return true;', 'return true;'],
    NAME_TESTS,
  ),
  fault(
    'digest',
    'objects of one namespace have the same check',
    'src/operator/checks/name.ts',
    ['const OBJECT_DIGITS = 32;', 'const OBJECT_DIGITS = 0;'],
    NAME_TESTS,
  ),
  fault(
    'pin',
    'the pin of a person does not count',
    MEMBERS,
    ['if (pin !== null) {', 'if (pin !== null && pin.by === null) {'],
    MEMBER_TESTS,
  ),
];

const LEFTOVERS: readonly Fault[] = [
  fault('leftover', 'the check of an object that is gone stays', WATCH, [
    'await owner.leftovers.remove(leftovers, isNeeded, remove);',
    '',
  ]),
  fault('restored', 'checks are deleted although objects may be missing', 'src/operator/checks/connect.ts', [
    'context.isEtcdRestored(zone) === false && ',
    '',
  ]),
  fault('taken', 'the checks of another cluster with the same name are deleted', 'src/operator/checks/connect.ts', [
    ' && (!zone || context.isNameTaken(zone) === false)',
    '',
  ]),
  fault(
    'wait',
    'a check that is in use is tried in every look',
    'src/operator/checks/sweep.ts',
    [
      'if (isNeeded(name) || (wait !== undefined && wait.at > this.#clock.now())) continue;',
      'if (isNeeded(name)) continue;',
    ],
    SWEEP_TESTS,
  ),
  fault(
    'needed',
    'a check whose object came back is deleted',
    'src/operator/checks/sweep.ts',
    ['if (isNeeded(name) || (wait', 'if ((wait'],
    SWEEP_TESTS,
  ),
  fault('missing', 'a check that does not exist looks like a wrong spec', 'src/operator/run/failures.ts', [
    "kind: 'refused', reason: 'CheckMissing' };",
    "kind: 'refused', reason: 'InvalidSpec' };",
  ]),
];

const SHOWN: readonly Fault[] = [
  fault(
    'events',
    'every run emits an Event about an address that fails',
    MEMBERS,
    ["state === 'Unhealthy' && stateBefore.get(content) !== 'Unhealthy'", "state === 'Unhealthy'"],
    MEMBER_TESTS,
  ),
  fault(
    'many',
    'a status with many members omits those that fail',
    MEMBERS,
    ['isDown(one) - isDown(other)', 'isDown(other) - isDown(one)'],
    MEMBER_TESTS,
  ),
  fault(
    'tiers',
    'tiers are accepted without a check',
    'src/resources/record-rules.ts',
    ['holds: (self) => isChecked(self) || new Set((self.values ?? []).map(tierOf)).size < 2,', 'holds: () => true,'],
    SCHEMA_TESTS,
  ),
];

const SIGNALS = 'src/operator/checks/signals.ts';
const ENDPOINTS = 'src/operator/checks/endpoints.ts';
const SERVICES = 'src/operator/checks/services.ts';
const SERVICE_BENCH = ['test/unit/operator/service-health.test.ts'];
const ENDPOINT_TESTS = ['test/unit/operator/checks/endpoints.test.ts'];

const FOLLOWED: readonly Fault[] = [
  fault(
    'service-typo',
    'a Service that was never found takes addresses out of DNS',
    ENDPOINTS,
    ['return wasFound\n      ? {', 'return wasFound || true\n      ? {'],
    ENDPOINT_TESTS,
  ),
  fault(
    'service-ready',
    'an endpoint without the condition is not ready',
    'src/kube/objects/endpoint-slices.ts',
    ['conditions?.ready !== false', 'conditions?.ready === true'],
    ENDPOINT_TESTS,
  ),
  fault(
    'service-port',
    'an endpoint with another port counts',
    ENDPOINTS,
    ['if (port === undefined || readySlices.some((slice) => hasPort(slice, port)))', 'if (readySlices.length > 0)'],
    ENDPOINT_TESTS,
  ),
  fault(
    'service-namespace',
    'a record follows the Service of another namespace',
    SERVICES,
    ['[service];', "[service.replace(/^other/, 'default')];"],
    SERVICE_BENCH,
  ),
  fault(
    'service-gone',
    'a Service that was found is forgotten',
    HEALTH,
    ['return isFound || wasServiceFound(ref, status?.foundService) ?', 'return isFound ?'],
    SERVICE_BENCH,
  ),
  fault(
    'service-renew',
    'a signal ends although the operator runs',
    SIGNALS,
    ['(isOver ? 0 : EVERY_MS)', '(isOver ? 0 : 1_000 * EVERY_MS)'],
    SERVICE_BENCH,
  ),
  fault(
    'service-quiet',
    'each change of a pod is sent',
    SIGNALS,
    ['if (sender.verdict.reason !== verdict.reason && sender.waitMs === 0)', 'if (sender.waitMs === 0)'],
    SERVICE_BENCH,
  ),
  fault(
    'service-taken',
    'a cluster whose name another one has sends signals for the checks of that one',
    'src/operator/checks/connect.ts',
    ['maySend: (zone) => context.isNameTaken(zone) === false', 'maySend: () => true'],
    SERVICE_BENCH,
  ),
  fault(
    'service-synced',
    'before the EndpointSlices are read, every Service is gone',
    SERVICES,
    ['if (!this.hasSynced()) return NOT_READ;', ''],
    SERVICE_BENCH,
  ),
  fault(
    'service-absent',
    'a check that was deleted stays away',
    SIGNALS,
    ['if (isAbsent(error)) {', 'if (isAbsent(error) && sender.waitMs < 0) {'],
    SERVICE_BENCH,
  ),
  fault(
    'service-pause',
    'a refused signal is sent again at once',
    SIGNALS,
    ['sender.dueAt = clock.now() + Math.max(wait, sender.waitMs);', 'sender.dueAt = clock.now();'],
    SERVICE_BENCH,
  ),
  fault(
    'both',
    'a record may have a probe and a Service',
    'src/resources/record-rules.ts',
    ['healthCheck === undefined || healthFrom === undefined', 'true'],
    SCHEMA_TESTS,
  ),
];

export const OPERATOR_HEALTH_FAULTS: readonly Fault[] = [...PROOF, ...TENANCY, ...LEFTOVERS, ...SHOWN, ...FOLLOWED];
