// Faults in the recognition of an etcd that was restored under a running operator.
import type { Fault } from '../fault.ts';
import { noticedBy } from './fault.ts';

const HEARTBEATS = 'src/operator/cluster/heartbeats.ts';

/** @param test the unit test of the operator that notices the fault */
export const fault = (name: string, breaks: string, test: string, file: string, find: string, replace: string): Fault =>
  noticedBy('op-cluster', `test/unit/operator/${test}.test.ts`)(name, breaks, file, find, replace);

const byReflector = noticedBy('op-cluster-history', 'test/unit/kube/reflector.test.ts');
const history = (name: string, breaks: string, file: string, find: string, replace: string): Fault =>
  byReflector(name, breaks, `src/kube/cache/${file}.ts`, find, replace);

/** A watch that is opened again at a version of a history that etcd has lost. */
export const HISTORY_FAULTS: readonly Fault[] = [
  history(
    'look',
    'a watch is opened again without a look whether etcd was restored',
    'reflector',
    "step.list === 'no' ? await this.#watchOn(signal) : await",
    'await',
  ),
  history(
    'version',
    'a lower version of the server does not tell a restored etcd',
    'history',
    "if (isLower(version, this.#version)) return 'older';",
    '',
  ),
  history(
    'newest',
    'an object that went back does not tell a restored etcd',
    'history',
    "? 'older' : 'same'",
    "? 'same' : 'same'",
  ),
  history(
    'gone',
    'an object that vanished while no watch was open stays in the cache',
    'history',
    "return 'unclear';",
    "return 'same';",
  ),
  fault(
    'seen-held',
    'records are released before the service knows of a restore that the operator saw',
    'heartbeats',
    HEARTBEATS,
    '    if (!this.#isRestoreTold(seenHolder)) return undefined;\n',
    '',
  ),
  fault(
    'seen-again',
    'a restore that the operator saw is told with every heartbeat',
    'heartbeats',
    HEARTBEATS,
    '...(this.#isRestoreTold(seenHolder) ? {} : { restore: restoreId }),',
    'restore: restoreId,',
  ),
  fault(
    'seen-late',
    'a restore that the operator saw waits for the next heartbeat',
    'heartbeats',
    HEARTBEATS,
    'if (this.#seen.some((each) => each.state !== null && !this.#isRestoreTold(each))) return true;',
    '',
  ),
  fault(
    'seen-follower',
    'a new leader tells a restore that it saw long ago as a follower',
    'seen-restore',
    'src/operator/cluster/seen-restore.ts',
    'this.#clock.now() - this.#restore.at >= TOGETHER_MS',
    'this.#clock.now() - this.#restore.at < 0',
  ),
  fault(
    'seen-twice',
    'two caches that see one restore tell two',
    'seen-restore',
    'src/operator/cluster/seen-restore.ts',
    '!this.#restore.caches.has(cache) && now',
    'this.#restore.caches.size === 0 && now',
  ),
];
