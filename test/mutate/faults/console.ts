// Faults in the console.
import type { Fault } from '../fault.ts';

export const CONSOLE_FAULTS: readonly Fault[] = [
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
];
