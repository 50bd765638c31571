// Faults in leader election.
import type { Fault } from '../fault.ts';

export const KUBE_FAULTS: readonly Fault[] = [
  {
    name: 'kube-lease-from-answer',
    breaks: 'the leader counts its lease from the answer instead of from before it sent the renewal',
    edits: [
      {
        file: 'src/kube/leader/election.ts',
        find: 'this.#heldUntil = sentAt + this.#deadlineMs',
        replace: 'this.#heldUntil = clock.now() + this.#deadlineMs',
      },
    ],
    project: 'unit',
    tests: ['test/unit/kube/election.test.ts'],
  },
  {
    name: 'kube-lease-release',
    breaks: 'a leader that ends keeps its lease, so that another replica waits until it expires',
    edits: [{ file: 'src/kube/leader/election.ts', find: 'if (hasEnded) await this.#release();', replace: '' }],
    project: 'unit',
    tests: ['test/unit/kube/election.test.ts'],
  },
  {
    name: 'kube-lease-guard',
    breaks: 'a leader that was suspended for longer than its lease still writes',
    edits: [
      {
        file: 'src/kube/leader/election.ts',
        find: '!this.#over && clock.now() < this.#heldUntil',
        replace: '!this.#over',
      },
    ],
    project: 'unit',
    tests: ['test/unit/kube/election.test.ts'],
  },
  {
    name: 'kube-guard-wiring',
    breaks: 'the operator process does not ask before a write whether it still leads',
    edits: [
      {
        file: 'src/operator/run/main.ts',
        find: '...(election ? [whileLeading(election)] : []),',
        replace: '...(election && !whileLeading ? [whileLeading(election)] : []),',
      },
    ],
    project: 'e2e',
    tests: ['test/e2e/operator/leader.test.ts'],
  },
];
