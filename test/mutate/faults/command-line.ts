// Faults in the command line for people: its help, the values of its options, and logins.
import type { Fault } from '../fault.ts';

const fault = (
  name: string,
  breaks: string,
  { file, find, replace }: Fault['edits'][number],
  tests: readonly string[],
  project: Fault['project'] = 'unit',
): Fault => ({ name: `command-line-${name}`, breaks, edits: [{ file, find, replace }], project, tests });

const STORE = ['test/unit/cli/login/store.test.ts'];
const ACCESS = ['test/unit/cli/rest/access.test.ts'];
const HELP = ['test/unit/cli/help.test.ts'];

export const COMMAND_LINE_FAULTS: readonly Fault[] = [
  fault(
    'ttl-units',
    'an option for a TTL takes seconds only',
    { file: 'src/cli/option-values.ts', find: "if (value === 'seconds')", replace: "if (value === 'number')" },
    ['test/unit/cli/option-values.test.ts'],
  ),
  fault(
    'help-groups',
    'help lists all commands below one heading',
    { file: 'src/cli/tree.ts', find: 'before.length === 0 ?', replace: 'before.length === 1 ?' },
    HELP,
  ),
  fault(
    'help-width',
    'the notes of help are wider than a narrow terminal',
    {
      file: 'src/cli/help-text.ts',
      find: "...wrapped(paragraph.replaceAll('\\n', ' '), width)",
      replace: "...paragraph.split('\\n')",
    },
    HELP,
  ),
  fault(
    'help-example',
    'an example of help has an option that its command does not know',
    { file: 'src/cli/records/set.ts', find: "-all' --dry-run", replace: "-all' --preview" },
    HELP,
  ),
  fault(
    'login-mode',
    'other accounts can read the file with the keys of logins',
    { file: 'src/cli/login/store.ts', find: "open(next, 'wx', 0o600)", replace: "open(next, 'wx', 0o644)" },
    STORE,
  ),
  fault(
    'login-open',
    'a file of logins that other accounts can read is used',
    { file: 'src/cli/private-file.ts', find: '(mode & OTHERS) !== 0', replace: '(mode & OTHERS) < 0' },
    STORE,
  ),
  fault(
    'login-mixed',
    'the key of a login is sent to the address of a setting',
    {
      file: 'src/cli/rest/access.ts',
      find: "(isSet('ZONESTEAD_URL') || isSet('ZONESTEAD_API_KEY'))",
      replace: "isSet('ZONESTEAD_URL') && isSet('ZONESTEAD_API_KEY')",
    },
    ACCESS,
  ),
  fault(
    'login-authorities',
    'a context is asked with the authorities of another service',
    {
      file: 'src/config.ts',
      find: '{ ZONESTEAD_URL_CA: _caFile, ZONESTEAD_API_KEY_FILE',
      replace: '{ ZONESTEAD_API_KEY_FILE',
    },
    ACCESS,
  ),
  fault(
    'wait-serial',
    'a wait ends before the name servers have the change',
    { file: 'src/cli/rest/wait.ts', find: 'minSerial: serial }', replace: 'minSerial: undefined }' },
    ['test/unit/cli/rest/wait.test.ts'],
  ),
  fault(
    'wait-one',
    'a wait ends when one name server has the change',
    { file: 'src/cli/rest/wait.ts', find: 'if (open.length === 0)', replace: 'if (open.length < 2)' },
    ['test/unit/cli/rest/wait.test.ts'],
  ),
  fault(
    'why-first',
    'why without a name takes the record that waits for its zone',
    {
      file: 'src/diagnosis/object-checks.ts',
      find: 'compareFindings(a.finding, b.finding)',
      replace: 'compareFindings(b.finding, a.finding)',
    },
    ['test/unit/diagnosis/rank.test.ts'],
  ),
  fault(
    'krew-folder',
    'krew downloads an archive from an address with two slashes',
    { file: 'deploy/cli/krew.ts', find: "download.replace(/\\/+$/, '')", replace: 'download' },
    ['test/unit/deploy/cli/krew.test.ts'],
  ),
  fault(
    'executable-words',
    'the hook of an executable has a path of a module that does not exist',
    { file: 'src/cli/acme/command.ts', find: 'isSea() ?', replace: '!isSea() ?' },
    ['test/integration/deploy/cli/executable.test.ts'],
    'integration',
  ),
];
