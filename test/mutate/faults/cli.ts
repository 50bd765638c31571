// Faults in the command line: in its output for programs and terminals, and in the reading of sources.
import type { Fault } from '../fault.ts';

const fault = (
  name: string,
  breaks: string,
  { file, find, replace }: Fault['edits'][number],
  { project = 'integration', tests }: { project?: Fault['project']; tests: readonly string[] },
): Fault => ({ name: `cli-${name}`, breaks, edits: [{ file, find, replace }], project, tests });

const IMPORT = "import { UNPRINTABLE } from '#base/printable.ts';";
const HOSTILE = { tests: ['test/integration/cli/import-hostile.test.ts'] };
const IMPORTS = { tests: ['test/integration/cli/import.test.ts'] };
const PACE = { project: 'unit', tests: ['test/unit/cli/import/pace.test.ts'] } as const;
const PIPES = { tests: ['test/integration/cli/pipes.test.ts'] };
const MANIFESTS = { tests: ['test/integration/cli/manifests.test.ts'] };
const RANK = { project: 'unit', tests: ['test/unit/diagnosis/rank.test.ts'] } as const;
const TEAMS = { tests: ['test/integration/cli/team-commands.test.ts'] };
const OUTPUT = { project: 'unit', tests: ['test/unit/cli/output.test.ts'] } as const;

export const CLI_FAULTS: readonly Fault[] = [
  fault(
    'yaml-escapes',
    'YAML 1.1 reads a text as fields or objects',
    { file: 'src/base/yaml.ts', find: '.replaceAll(UNESCAPED, escapeCharacter)', replace: '' },
    MANIFESTS,
  ),
  fault(
    'yaml-plain',
    'a text with escapes is a plain scalar, which has no escapes',
    { file: 'src/base/yaml.ts', find: "node.type = 'QUOTE_DOUBLE';", replace: '' },
    MANIFESTS,
  ),
  fault(
    'yaml-numbers',
    'go-yaml reads a text as a number',
    { file: 'src/base/yaml.ts', find: '|^[-+]?', replace: '|^[?]' },
    MANIFESTS,
  ),
  fault(
    'content-characters',
    'a content may have characters that end a line of YAML',
    { file: 'src/dns/record.ts', find: 'return text.ok ? parsed : text;', replace: 'return parsed;' },
    MANIFESTS,
  ),
  fault(
    'stored-characters',
    'an older record is exported with a content that the service refuses',
    {
      file: 'src/resources/manifests.ts',
      find: 'return parsed.ok ? parsed.value.rdata : content;',
      replace: 'return content;',
    },
    MANIFESTS,
  ),
  fault(
    'remark-characters',
    'a remark of an import has characters of its source as they are',
    { file: 'src/base/printable.ts', find: 'return text.replaceAll(ALL, escapeCharacter);', replace: 'return text;' },
    MANIFESTS,
  ),
  fault(
    'terminal-hidden',
    'a terminal gets characters that turn the direction of a line',
    { file: 'src/cli/terminal.ts', find: IMPORT, replace: 'const UNPRINTABLE = String.raw`\\p{Cc}`;' },
    OUTPUT,
  ),
  fault(
    'report-characters',
    'a report of a node is stored with escape codes',
    {
      file: 'src/service/nodes/reports.ts',
      find: 'error: dropUnprintable(error)',
      replace: "error: error.toWellFormed().replaceAll('\\0', '')",
    },
    { tests: ['test/integration/service/nodes/reports.test.ts'] },
  ),
  fault(
    'link-out',
    'a link of a repository leads the import to any file',
    {
      file: 'src/cli/import/sources/open.ts',
      find: 'if (!target.startsWith(',
      replace: 'if (target.startsWith(root) && !target.startsWith(',
    },
    HOSTILE,
  ),
  fault(
    'device',
    'a device is read without an end',
    { file: 'src/cli/input.ts', find: 'if (kind.isFile()) return', replace: 'if (!kind.isFIFO()) return' },
    HOSTILE,
  ),
  fault(
    'input-octets',
    'an input may have any size',
    { file: 'src/cli/input.ts', find: 'if (size > MAX_INPUT)', replace: 'if (size < 0)' },
    HOSTILE,
  ),
  fault(
    'yaml-aliases',
    'aliases of YAML make any number of values',
    { file: 'src/cli/yaml-input.ts', find: 'if (count > MAX_VALUES)', replace: 'if (count < 0)' },
    HOSTILE,
  ),
  fault(
    'lines',
    'a source may have any number of records',
    {
      file: 'src/cli/import/source.ts',
      find: 'if (lines.length + problems.length > MAX_LINES)',
      replace: 'if (characters < 0)',
    },
    HOSTILE,
  ),
  fault(
    'yaml-keys',
    'all keys of a YAML file are compared with each other',
    { file: 'src/cli/yaml-input.ts', find: 'uniqueKeys: false', replace: 'uniqueKeys: true' },
    HOSTILE,
  ),
  fault(
    'powerdns-zone',
    'a PowerDNS chooses the zone that the import writes',
    {
      file: 'src/cli/import/sources/powerdns.ts',
      find: '!answered.ok || answered.value !== parsed.value',
      replace: '!answered.ok',
    },
    HOSTILE,
  ),
  fault(
    'transfer-octets',
    'a transfer may have any size',
    { file: 'src/cli/import/sources/axfr.ts', find: 'if (total > MAX_INPUT)', replace: 'if (total < 0)' },
    HOSTILE,
  ),
  fault(
    'named-by-text',
    'a zone file chooses a zone with other records',
    { file: 'src/cli/import/import.ts', find: 'if (!isNamedByText || ', replace: 'if (true || ' },
    IMPORTS,
  ),
  fault(
    'create-leaves',
    'a zone stays that --create made for records that were refused',
    {
      file: 'src/cli/import/target.ts',
      find: 'await client.call(zoneApi.deleteZone, { params: { id } }, { signal });',
      replace: '',
    },
    IMPORTS,
  ),
  fault(
    'retry-after',
    'an import ends at the write limit of its key',
    { file: 'src/cli/import/pace.ts', find: 'isRateLimited(error) || isBusy(error) ?', replace: 'isBusy(error) ?' },
    PACE,
  ),
  fault(
    'closed-pipe',
    'a command ends with an error when the reader of its output leaves',
    { file: 'src/cli/program.ts', find: "if (error.code !== 'EPIPE') throw error;", replace: 'throw error;' },
    PIPES,
  ),
  fault(
    'zone-owned',
    'a zone whose records have owners is deleted without --force',
    { file: 'src/cli/zones/delete.ts', find: 'if (owned === 0) await', replace: 'if (owned >= 0) await' },
    { tests: ['test/integration/cli/owned-records.test.ts'] },
  ),
  fault(
    'hint-everywhere',
    'the advice to quote values follows errors that have another cause',
    { file: 'src/cli/tree.ts', find: 'about.test(text)', replace: 'true' },
    { tests: ['test/integration/cli/commands.test.ts'] },
  ),
  fault(
    'objects-octodns',
    'a file of Kubernetes objects is read as one of octoDNS',
    { file: 'src/cli/import/sources/octodns.ts', find: "each.has('apiVersion')", replace: 'false' },
    { project: 'unit', tests: ['test/unit/cli/import/read.test.ts'] },
  ),
  fault(
    'repairs-order',
    'an effect is to be repaired before its cause',
    { file: 'src/diagnosis/rank.ts', find: 'Number(a.isEffect === true)', replace: 'Number(b.isEffect === true)' },
    RANK,
  ),
  fault(
    'delegation-unsaid',
    'a zone whose parent has no DS record passes the check of its delegation',
    {
      file: 'src/diagnosis/zone-checks.ts',
      find: "if (delegated?.status === 'True')",
      replace: 'if (delegated !== undefined)',
    },
    RANK,
  ),
  fault(
    'app-key',
    'a command for people accepts the key of an app',
    {
      file: 'src/cli/rest/team.ts',
      find: 'if (user !== undefined) return teams;',
      replace: 'if (user !== team) return teams;',
    },
    TEAMS,
  ),
  fault(
    'first-team',
    'a command without --team takes the first of several teams',
    { file: 'src/cli/rest/team.ts', find: 'if (others.length === 0) return only;', replace: 'return only;' },
    TEAMS,
  ),
  fault(
    'option-names',
    'an error about a term names the field of a request and not the option',
    { file: 'src/cli/terms.ts', find: 'optionOf(root)', replace: 'root' },
    TEAMS,
  ),
  fault(
    'admin-hint',
    'a word of a command over the database is an unknown command, and no more',
    {
      file: 'src/cli/tree.ts',
      find: 'if (options.hint) addHint',
      replace: 'if (options.hint === words.join()) addHint',
    },
    { project: 'unit', tests: ['test/unit/cli/zonestead.test.ts'] },
  ),
  {
    name: 'cli-secondaries-file',
    breaks: 'a folder in the place of a file of secondaries is answered with the words of the system',
    edits: [
      {
        file: 'src/cli/admin/secondary-write.ts',
        find: 'const secret = secretFile === undefined ? key.secret : (await readInput(secretFile, signal)).trim();',
        replace:
          "const secret = secretFile && (await (await import('node:fs/promises')).readFile(secretFile, 'utf8')).trim();",
      },
    ],
    project: 'integration',
    tests: ['test/integration/cli/secondaries.test.ts'],
  },
];
