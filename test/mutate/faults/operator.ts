// Faults in the operator: its ownership, its deletions, and the events that trigger a run of an object.
import type { Fault } from '../fault.ts';

const unit = (file: string) => ({ project: 'unit', tests: [`test/unit/operator/${file}.test.ts`] }) as const;

export const OPERATOR_FAULTS: readonly Fault[] = [
  {
    name: 'op-plan-priority-drift',
    breaks: 'a change of an MX priority by somebody else is not reported as drift',
    edits: [
      {
        file: 'src/operator/record/plan.ts',
        find: 'found.record.content !== entry.content || found.record.priority !== entry.priority',
        replace: 'found.record.content !== entry.content',
      },
    ],
    ...unit('drift'),
  },
  {
    name: 'op-delete-other-zone',
    breaks: "an id in a status leads to the deletion of somebody else's zone",
    edits: [
      {
        file: 'src/operator/zone/delete.ts',
        find: '    if (!name.ok || zone.zoneName !== name.value) return null;\n',
        replace: '    if (!name.ok || !zone) return null;\n',
      },
    ],
    ...unit('tenancy'),
  },
  {
    name: 'op-creation-annotation-uid',
    breaks: 'the seal of the ledger annotation is not bound to the uid of the object, so that a copy carries it',
    edits: [
      {
        file: 'src/operator/record/creation-annotation.ts',
        find: '{metadata.uid}',
        replace: '{typeof metadata}',
      },
    ],
    ...unit('creation-annotation'),
  },
  {
    name: '2-creation-annotation-forge',
    breaks:
      'a ledger annotation with a wrong seal counts, so that a user who may annotate can create or delete records',
    edits: [
      {
        file: 'src/operator/record/creation-annotation.ts',
        find: 'if (proof.length !== expected.length || !timingSafeEqual(proof, expected)) return',
        replace: 'if (proof.length !== expected.length && !timingSafeEqual(proof, proof)) return',
      },
    ],
    ...unit('creation-annotation'),
  },
  {
    name: 'op-wake-service',
    breaks: 'records that wait for the service are not woken when it answers again',
    edits: [
      {
        file: 'src/operator/run/main.ts',
        find: '() => restart(recordQueue, key)',
        replace: '() => undefined',
      },
    ],
    project: 'e2e',
    tests: ['test/e2e/matrix-service.test.ts'],
  },
  {
    name: 'op-observe-elsewhere',
    breaks: 'a zone above the zone of another namespace is let in when its object is the older one',
    edits: [
      {
        file: 'src/operator/access/claims.ts',
        find: 'isInOtherNamespace(other, object) && (hasZone(other) || isOlder(other, object))',
        replace: 'isInOtherNamespace(other, object) && isOlder(other, object)',
      },
    ],
    ...unit('zone-claims'),
  },
  {
    name: 'op-namespace-triggers',
    breaks: "a zone that is refused for another namespace's labels is not woken when these labels change",
    edits: [
      {
        file: 'src/operator/run/triggers.ts',
        find: 'zone.metadata.namespace === key || isBlockedByOther(zone)',
        replace: 'zone.metadata.namespace === key',
      },
    ],
    ...unit('triggers'),
  },
];
