// Faults in the command line: in its output for programs and terminals, and in the reading of sources.
import type { Fault } from '../fault.ts';

const fault = (
  name: string,
  breaks: string,
  { file, find, replace }: Fault['edits'][number],
  { project = 'integration', tests }: { project?: Fault['project']; tests: readonly string[] },
): Fault => ({ name: `cli-${name}`, breaks, edits: [{ file, find, replace }], project, tests });

const IMPORT = "import { UNPRINTABLE } from '#base/printable.ts';";
const MANIFESTS = { tests: ['test/integration/cli/manifests.test.ts'] };
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
      file: 'src/cli/rest/manifests.ts',
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
    { tests: ['test/integration/nodes/reports.test.ts'] },
  ),
];
