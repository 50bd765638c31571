// Faults in the console.
import type { Fault } from '../fault.ts';

export const CONSOLE_FAULTS: readonly Fault[] = [
  {
    name: 'console-team-old-name',
    breaks: 'the history of a team shows a renamed key by its old name',
    edits: [
      {
        file: 'src/console/teams/team-changes.ts',
        find: 'textIn(after) ?? names.get(subject) ?? textIn(before)',
        replace: 'textIn(before) ?? names.get(subject) ?? textIn(after)',
      },
    ],
    project: 'unit',
    tests: ['test/unit/console/team-changes.test.ts'],
  },
  {
    name: 'console-band-invented',
    breaks: 'the page of a check shows a state of a time about which nothing is known',
    edits: [
      {
        file: 'src/console/checks/bands.ts',
        find: "{ at: 0, state: 'Unknown' as const }",
        replace: '{ at: 0, state: first.before }',
      },
    ],
    project: 'unit',
    tests: ['test/unit/console/check-bands.test.ts'],
  },
  {
    name: 'console-service-twice',
    breaks: 'a name that has the labels of its service already gets them twice',
    edits: [
      {
        file: 'src/dns/types/owner-fields.ts',
        find: ' || name.startsWith(`',
        replace: ' || name.startsWith(`never',
      },
    ],
    project: 'unit',
    tests: ['test/unit/dns/owner-fields.test.ts'],
  },
  {
    name: 'console-service-preview',
    breaks: 'the record of a service gets another name than its preview shows',
    edits: [
      {
        file: 'src/console/records/new.ts',
        find: 'readRecordInput(typed, readName(typed, type), type)',
        replace: "readRecordInput(typed, textField(typed, 'name'), type)",
      },
    ],
    project: 'integration',
    tests: ['test/integration/console/records.test.ts'],
  },
  {
    name: 'console-foreign-session',
    breaks: 'a person sees and ends the sessions of other people',
    edits: [{ file: 'src/store/person-keys.ts', find: 'eq(apiKeys.userId, userId), ', replace: '' }],
    project: 'integration',
    tests: ['test/integration/console/person.test.ts'],
  },
  {
    name: 'console-yaml-part',
    breaks: 'the page of a large zone shows a part of its manifests silently',
    edits: [{ file: 'src/console/zones/manifests.ts', find: 'list?.next !== undefined || ', replace: '' }],
    project: 'integration',
    tests: ['test/integration/console/search.test.ts'],
  },
  {
    name: 'console-live-early',
    breaks: 'the overview says that everything is live before parent zones were asked',
    edits: [
      { file: 'src/console/overview/attention.eta', find: '} else if (it.isOpen) {', replace: '} else if (false) {' },
    ],
    project: 'unit',
    tests: ['test/unit/console/overview.test.ts'],
  },
  {
    name: 'console-delegation-guess',
    breaks: 'the overview counts a zone whose parent does not answer as not delegated',
    edits: [
      {
        file: 'src/console/overview/attention.ts',
        find: "delegation?.seen === 'insecure' || delegation?.seen === 'absent'",
        replace: "delegation?.seen !== 'secure'",
      },
    ],
    project: 'unit',
    tests: ['test/unit/console/overview.test.ts'],
  },
  {
    name: 'console-ttl-unit',
    breaks: 'a TTL of one hour is shown in minutes',
    edits: [{ file: 'src/console/shell/ttl.ts', find: "  [3_600, 'h', 'h'],\n", replace: '' }],
    project: 'unit',
    tests: ['test/unit/console/ttl.test.ts'],
  },
  {
    name: 'console-undo-page',
    breaks: 'a request that is on two pages of the history promises to undo the changes of one page',
    edits: [
      {
        file: 'src/console/zones/history-entries.ts',
        find: 'isCut ? (counts.get(requestId) ?? entries.length) : entries.length',
        replace: 'entries.length',
      },
    ],
    project: 'unit',
    tests: ['test/unit/console/history-entries.test.ts'],
  },
  {
    name: 'console-served-part',
    breaks: 'a zone that one name server lacks counts as served',
    edits: [{ file: 'src/console/zones/chips.ts', find: "current === all ? 'done' : 'warn'", replace: "'done'" }],
    project: 'unit',
    tests: ['test/unit/console/chips.test.ts'],
  },
  {
    name: 'console-card-everywhere',
    breaks: 'a page without a place for the card of a new zone gets it',
    edits: [{ file: 'src/console/zones/state.ts', find: 'const hasCard = isList && ', replace: 'const hasCard = ' }],
    project: 'integration',
    tests: ['test/integration/console/zone-state.test.ts'],
  },
  {
    name: 'console-list-elsewhere',
    breaks: 'a new record leads to any page that the browser names',
    edits: [
      {
        file: 'src/console/records/new.ts',
        find: 'if (url?.pathname !== home) return home;',
        replace: 'if (url === null) return home;',
      },
    ],
    project: 'unit',
    tests: ['test/unit/console/feedback.test.ts'],
  },
  {
    name: 'console-focus-wrong',
    breaks: 'a refused form has the focus on its first field, not on the wrong one',
    edits: [
      {
        file: 'src/console/shell/partials/field.eta',
        find: 'wrong === undefined ? field.autofocus : wrong === field.name',
        replace: 'field.autofocus',
      },
    ],
    project: 'unit',
    tests: ['test/unit/console/feedback.test.ts'],
  },
  {
    name: 'console-undo-owned',
    breaks: 'the message about a managed record offers an undo that leaves the record as it is',
    edits: [
      {
        file: 'src/console/records/records.ts',
        find: 'text, { record: recordId, undo }',
        replace: 'text, { record: recordId, undo: undoOf(request, zoneId) }',
      },
    ],
    project: 'integration',
    tests: ['test/integration/console/feedback.test.ts'],
  },
  {
    name: 'console-owner-uid',
    breaks: 'owners of records show the uid of their cluster',
    edits: [
      {
        file: 'src/console/shell/owner-label.ts',
        find: 'isUnnamedCluster(cluster) ? cluster.slice(0, 8) : clipText(cluster, MAX_TEXT)',
        replace: 'clipText(cluster, MAX_TEXT)',
      },
    ],
    project: 'unit',
    tests: ['test/unit/console/owner-label.test.ts'],
  },
  {
    name: 'console-managed-delete',
    breaks: 'the row of a managed record offers to delete it without a warning',
    edits: [
      {
        file: 'src/console/records/row.eta',
        find: '<% if (!record.managedBy) { %><a class="danger"',
        replace: '<% if (true) { %><a class="danger"',
      },
    ],
    project: 'unit',
    tests: ['test/unit/console/owner-label.test.ts'],
  },
  {
    name: 'console-release-owners',
    breaks: 'a member who may not release a cluster gets the question about it',
    edits: [
      {
        file: 'src/console/teams/clusters.ts',
        find: "    if (team.role !== 'owner') throw refusal('owners-only');\n",
        replace: '',
      },
    ],
    project: 'integration',
    tests: ['test/integration/console/clusters.test.ts'],
  },
  {
    name: 'console-cluster-reason',
    breaks: 'a refused change of a cluster shows the list without a reason',
    edits: [
      {
        file: 'src/console/teams/clusters.ts',
        find: '(errors) => page(request, reply, errors),',
        replace: '() => page(request, reply),',
      },
    ],
    project: 'integration',
    tests: ['test/integration/console/clusters.test.ts'],
  },
  {
    name: 'console-csrf-delete',
    breaks: 'a zone is parked without a CSRF token',
    edits: [
      {
        file: 'src/console/shell/session.ts',
        find: "if (request.method === 'GET' || request.method === 'HEAD') next();",
        replace: "if (request.method === 'GET' || request.method === 'HEAD' || request.url.endsWith('/park')) next();",
      },
    ],
    project: 'integration',
    tests: ['test/integration/console'],
  },
  {
    name: 'console-import-serial',
    breaks: 'an import continues although the zone was changed after its difference was shown',
    edits: [
      {
        file: 'src/service/zonefile/import.ts',
        find: '    if (serial !== undefined && serial !== plan.zone.serial) throw anotherSerial();\n',
        replace: '',
      },
      {
        file: 'src/service/zonefile/import.ts',
        find: '    if (serial !== undefined && serial !== zone.serial) throw anotherSerial();\n',
        replace: '',
      },
    ],
    project: 'integration',
    tests: ['test/integration/console'],
  },
  {
    name: 'console-memory',
    breaks: 'the console keeps 64 KiB of each page that it has shown',
    edits: [
      {
        file: 'src/console/shell/views.ts',
        find: '  const flash = takeFlash(request);\n',
        replace:
          '  const flash = takeFlash(request);\n  useViews.kept = [...(useViews.kept ?? []), Array(8_192).fill(1.5)];\n',
      },
    ],
    project: 'integration',
    tests: ['test/integration/console/memory.test.ts'],
  },
  {
    name: 'console-once',
    breaks: 'a form takes effect each time it is sent',
    edits: [
      {
        file: 'src/console/shell/once.ts',
        find: '    if (!sentForm || !request.actor) return undefined;\n',
        replace: '    return undefined;\n',
      },
    ],
    project: 'integration',
    tests: ['test/integration/console/once.test.ts'],
  },
  {
    name: 'console-managed-edit',
    breaks: 'a managed record is changed without a confirmation',
    edits: [
      {
        file: 'src/console/records/records.ts',
        find: '        mustConfirm(record.managedBy, typed);\n        const condition = toTagCondition(seenIn(typed.seen)[0]);\n        await replaceRecord',
        replace: '        const condition = toTagCondition(seenIn(typed.seen)[0]);\n        await replaceRecord',
      },
    ],
    project: 'integration',
    tests: ['test/integration/console/zones.test.ts'],
  },
  {
    name: 'console-managed-confirmation',
    breaks: 'a managed record is deleted without a confirmation',
    edits: [
      {
        file: 'src/console/records/records.ts',
        find: '        mustConfirm(record.managedBy, typed);\n        const condition = toTagCondition(seenIn(typed.seen)[0]);\n        await removeRecord',
        replace: '        const condition = toTagCondition(seenIn(typed.seen)[0]);\n        await removeRecord',
      },
    ],
    project: 'integration',
    tests: ['test/integration/console/zones.test.ts'],
  },
  {
    name: 'console-managed-selected',
    breaks: 'a selection with a managed record is deleted without a confirmation',
    edits: [
      {
        file: 'src/console/records/selected.ts',
        find: '          mustConfirm(joinOwners(records), typed);\n',
        replace: '',
      },
    ],
    project: 'integration',
    tests: ['test/integration/console/records.test.ts'],
  },
  {
    name: 'console-owner-filter',
    breaks: 'the list of zones shows the zones of all owners',
    edits: [
      {
        file: 'src/console/zones/zones.ts',
        find: '    owner: listQuery.owner,\n',
        replace: '    owner: undefined,\n',
      },
    ],
    project: 'integration',
    tests: ['test/integration/console/zones.test.ts'],
  },
  {
    name: 'console-owner-prefix',
    breaks: 'the page of owners shows all owners',
    edits: [
      {
        file: 'src/console/records/owners.ts',
        find: 'zone.id, { prefix, limit',
        replace: "zone.id, { prefix: '', limit",
      },
    ],
    project: 'integration',
    tests: ['test/integration/console/zone-life.test.ts'],
  },
  {
    name: 'console-secret-key',
    breaks: 'the page of another key shows the secret of a new one',
    edits: [{ file: 'src/console/shell/once.ts', find: 'secrets?.keyId !== keyId', replace: 'secrets === undefined' }],
    project: 'integration',
    tests: ['test/integration/console/once.test.ts'],
  },
  {
    name: 'console-csp-script',
    breaks: 'scripts of other hosts run in pages',
    edits: [
      {
        file: 'src/console/shell/protection.ts',
        find: 'scriptSrc: ["\'self\'"]',
        replace: "scriptSrc: [\"'self'\", 'cdn.example']",
      },
    ],
    project: 'integration',
    tests: ['test/integration/console/sign-in.test.ts'],
  },
  {
    name: 'console-csp-frame',
    breaks: 'pages can be framed',
    edits: [
      {
        file: 'src/console/shell/protection.ts',
        find: 'frameAncestors: ["\'none\'"]',
        replace: 'frameAncestors: ["\'self\'"]',
      },
    ],
    project: 'integration',
    tests: ['test/integration/console/sign-in.test.ts'],
  },
  {
    name: 'console-csp-base',
    breaks: 'a page can change the address that its links are relative to',
    edits: [
      { file: 'src/console/shell/protection.ts', find: 'baseUri: ["\'none\'"]', replace: 'baseUri: ["\'self\'"]' },
    ],
    project: 'integration',
    tests: ['test/integration/console/sign-in.test.ts'],
  },
];
