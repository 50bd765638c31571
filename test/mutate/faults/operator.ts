// Faults in the operator: its ownership, its deletions, and the events that trigger a run of an object.
import type { Fault } from '../fault.ts';

const unit = (file: string) => ({ project: 'unit', tests: [`test/unit/operator/${file}.test.ts`] }) as const;

export const OPERATOR_FAULTS: readonly Fault[] = [
  {
    name: 'op-conflict-ids',
    breaks: 'a conflict with a DNSRecord names the id of its record at the service too',
    edits: [
      {
        file: 'src/operator/record/status.ts',
        find: 'others.length > 0 ? failure.records : []',
        replace: '[]',
      },
    ],
    ...unit('duplicates'),
  },
  {
    name: 'op-conflict-field',
    breaks: 'a conflict names a field as the service has it, and not as the object has it',
    edits: [
      {
        file: 'src/operator/record/status.ts',
        find: "message.replace(/^(?=(?:name|type|content|ttl|priority): )/, 'spec.')",
        replace: 'message',
      },
    ],
    ...unit('duplicates'),
  },
  {
    name: 'op-brake-share',
    breaks: 'the brake holds deletions only if all objects are gone',
    edits: [
      {
        file: 'src/base/mass-deletion.ts',
        find: 'deletions > all * (isStarting ? STARTING_SHARE : SHARE)',
        replace: 'deletions >= all',
      },
    ],
    ...unit('releases'),
  },
  {
    name: 'op-brake-restart',
    breaks: 'a restart releases what the brake has held',
    edits: [
      {
        file: 'src/operator/zone/owners.ts',
        find: 'else if (wasHeld) context',
        replace: 'else if (wasHeld && cluster === key) context',
      },
    ],
    ...unit('releases'),
  },
  {
    name: 'op-brake-for-ever',
    breaks: 'after a mass deletion, later deletions are held as well',
    edits: [
      {
        file: 'src/operator/record/held.ts',
        find: 'if (at > now - TOGETHER_MS) heldNow',
        replace: 'if (at <= now) heldNow',
      },
    ],
    ...unit('releases'),
  },
  {
    name: 'op-retained',
    breaks: 'a record that Retain left is deleted with its zone if both objects are deleted together',
    edits: [
      {
        file: 'src/operator/zone/delete.ts',
        find: 'if (retain && !exists) continue;',
        replace: '',
      },
    ],
    ...unit('releases'),
  },
  {
    name: 'op-others-deleted',
    breaks: 'the deletion of a zone takes the records of other namespaces out of DNS',
    edits: [
      {
        file: 'src/operator/zone/delete.ts',
        find: 'records.length > 0 && namespace !== object.metadata.namespace',
        replace: 'namespace === cluster',
      },
    ],
    ...unit('zones'),
  },
  {
    name: 'op-deletion-words',
    breaks: 'kubectl zonestead why prints a command that runs what the name of a record says',
    edits: [
      {
        file: 'src/resources/deletion.ts',
        find: '/^([A-Za-z0-9_*@][A-Za-z0-9_*@./-]*) ([A-Z0-9]+)$/',
        replace: '/^(.+) ([A-Z0-9]+)$/',
      },
    ],
    project: 'unit',
    tests: ['test/unit/diagnosis/next-step.test.ts'],
  },
  {
    name: 'op-unowned-step',
    breaks: 'kubectl zonestead why says nothing about a record that belongs to no object',
    edits: [
      {
        file: 'src/diagnosis/next-step.ts',
        find: 'if (unowned !== undefined && !isZone(object))',
        replace: 'if (unowned === null && !isZone(object))',
      },
    ],
    project: 'unit',
    tests: ['test/unit/diagnosis/next-step.test.ts'],
  },
  {
    name: 'op-unowned-words',
    breaks: 'kubectl zonestead why prints a command that runs what the value of a record says',
    edits: [
      {
        file: 'src/diagnosis/next-step.ts',
        find: "parts.map(quoteForShell).join(' ')",
        replace: "parts.join(' ')",
      },
    ],
    project: 'unit',
    tests: ['test/unit/diagnosis/next-step.test.ts'],
  },
  {
    name: 'op-retain-elsewhere',
    breaks: "a record in another namespace's zone remains there after its object",
    edits: [
      {
        file: 'src/operator/record/owner.ts',
        find: "retain: isOwn && deletionPolicy === 'Retain'",
        replace: "retain: deletionPolicy === 'Retain'",
      },
    ],
    ...unit('tenancy'),
  },
  {
    name: 'op-owner-missed',
    breaks: 'an owner without an object is not found when the owners are compared',
    edits: [
      {
        file: 'src/operator/zone/owners.ts',
        find: 'if (!object || isElsewhere',
        replace: 'if (object === null || isElsewhere',
      },
    ],
    ...unit('releases'),
  },
  {
    name: 'op-intent-deleted',
    breaks: 'a DNSZone that is deleted while the answer to its creation is lost leaves its zone at the service',
    edits: [
      {
        file: 'src/operator/zone/delete.ts',
        find: 'const has = isManaged(object) || object.status?.intent !== undefined;',
        replace: 'const has = isManaged(object);',
      },
    ],
    ...unit('crash'),
  },
  {
    name: 'op-intent-repeated',
    breaks: 'an operator that died while it created a zone sends another request in place of the same one',
    edits: [
      {
        file: 'src/operator/zone/find.ts',
        find: 'const createdZone = before === undefined ? null : await repeatCreation(run, service, before);',
        replace: 'const createdZone = null as Awaited<ReturnType<typeof repeatCreation>> | null;',
      },
    ],
    ...unit('crash'),
  },
  {
    name: 'op-delete-other-zone',
    breaks: "an id in a status leads to the deletion of another owner's zone",
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
    name: 'op-wake-service',
    breaks: 'records that wait for the service are not woken when it answers again',
    edits: [
      {
        file: 'src/operator/run/queues.ts',
        find: '() => restart(records, key)',
        replace: '() => undefined',
      },
    ],
    ...unit('recovery'),
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
  {
    name: 'resources-object-name',
    breaks: 'a reference to a name that no object can have is accepted',
    edits: [
      {
        file: 'src/resources/common.ts',
        find: 'holds: (self) => new RegExp(OBJECT_NAME).test(self.name),',
        replace: 'holds: (self) => self.name.length > 0,',
      },
    ],
    project: 'unit',
    tests: ['test/unit/operator/resources.test.ts'],
  },
];
