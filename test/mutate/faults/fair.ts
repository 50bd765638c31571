// Faults in the turns of namespaces.
import type { Fault } from '../fault.ts';

const QUEUE = 'src/base/fair/queue.ts';
const fair = { project: 'unit', tests: ['test/unit/base'] } as const;

export const FAIR_FAULTS: readonly Fault[] = [
  {
    name: 'fair-cost',
    breaks: 'a turn with many changes counts as much as one with a single change',
    edits: [{ file: QUEUE, find: 'this.#now + cost / this.#weightOf(group.name)', replace: 'this.#now + 1' }],
    ...fair,
  },
  {
    name: 'fair-return',
    breaks: 'a group that leaves and returns at once has more turns than the others',
    edits: [{ file: QUEUE, find: 'Math.max(this.#now, this.#left.get(name) ?? 0)', replace: 'this.#now' }],
    ...fair,
  },
  {
    name: 'fair-lanes',
    breaks: 'creations wait as long as their namespace has challenges and changes',
    edits: [{ file: QUEUE, find: 'const MAX_PASSED = 16', replace: 'const MAX_PASSED = 1e9' }],
    ...fair,
  },
  {
    name: 'fair-permits',
    breaks: 'two teams with many waiting requests keep all others from the queue for permits',
    edits: [{ file: 'src/base/limit.ts', find: 'if (newest === undefined) throw', replace: 'throw' }],
    project: 'unit',
    tests: ['test/unit/service/permits.test.ts'],
  },
  {
    name: 'fair-memory',
    breaks: 'each namespace that ever wrote stays in memory',
    edits: [{ file: QUEUE, find: 'if (this.#left.size > MAX_LEFT && oldest', replace: 'if (false && oldest' }],
    ...fair,
  },
  {
    name: 'fair-abort',
    breaks: 'a call that was given up still takes a permit when its turn comes',
    edits: [{ file: 'src/base/limit.ts', find: '          this.#waiting.remove(waiter);\n', replace: '' }],
    ...fair,
  },
  {
    name: 'fair-window',
    breaks: 'a namespace leaves no places in the write window for more than a few others',
    edits: [{ file: 'src/client/pace/budget.ts', find: '&& free <= forOthers', replace: '&& free < 0' }],
    project: 'unit',
    tests: ['test/unit/client/fairness.test.ts'],
  },
  {
    name: 'fair-questions',
    breaks: 'a namespace with many zones delays the proofs of another one',
    edits: [
      { file: 'src/client/node-questions.ts', find: 'await questions.run(group,', replace: "await questions.run(''," },
    ],
    project: 'unit',
    tests: ['test/unit/client/node-questions.test.ts'],
  },
  {
    name: 'fair-events',
    breaks: 'the Events of a namespace wait behind all those of another one',
    edits: [
      { file: 'src/kube/events/events.ts', find: 'jobs.add(job, { group })', replace: "jobs.add(job, { group: '' })" },
    ],
    project: 'unit',
    tests: ['test/unit/kube/events.test.ts'],
  },
];
