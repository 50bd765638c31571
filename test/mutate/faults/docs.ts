// Faults in the pages and in the references to them.
import type { Fault } from '../fault.ts';
import { noticedBy } from './fault.ts';

const bySite = noticedBy('docs-site', 'test/integration/docs/site.test.ts');
const byParts = noticedBy('docs-site', 'test/unit/docs/site-parts.test.ts');
const byRefusals = noticedBy('docs-link', 'test/unit/http/errors.test.ts');
const byHelp = noticedBy('docs-link', 'test/unit/cli/zonestead.test.ts');
const byReadme = noticedBy('docs-readme', 'test/unit/docs/readme.test.ts');
const byLinks = noticedBy('docs-link', 'test/unit/docs/linked-pages.test.ts');

export const DOCS_FAULTS: readonly Fault[] = [
  {
    name: 'docs-without-effect',
    breaks: 'the page has a command that prints its help and creates no key',
    edits: [
      {
        file: 'docs/how-to/nodes-outside-the-cluster.md',
        find: 'zonestead admin keys mint --node eu --network 198.51.100.0/24',
        replace: 'zonestead admin keys mint --node eu --network 198.51.100.0/24 --help',
      },
    ],
    project: 'e2e',
    tests: ['test/e2e/docs/local.test.ts'],
  },
  {
    name: 'docs-cites-no-rule',
    breaks: 'a comment cites a rule of the contract that does not exist',
    edits: [
      {
        file: 'src/dns/rules/chain.ts',
        find: 'inside one zone (contract X4)',
        replace: 'inside one zone (contract X44)',
      },
    ],
    project: 'unit',
    tests: ['test/unit/docs/citations.test.ts'],
  },
  byParts(
    'copies',
    'a file that a page links to is not copied to the site',
    'docs/site/links.ts',
    '{ href: link, file: target }',
    '{ href: link }',
  ),
  bySite(
    'anchors',
    'a heading has another anchor on the site than on GitHub',
    'docs/site/config.ts',
    'anchor: { slugify: toAnchor },',
    '',
  ),
  byParts(
    'navigation',
    'the navigation lacks the pages of groups within a section',
    'docs/site/navigation.ts',
    'else groups.at(-1)?.items?.push(group);',
    'else if (group.text === undefined) groups.at(-1)?.items?.push(group);',
  ),
  byParts(
    'empty',
    'an empty variable is refused',
    'docs/site/settings.ts',
    "filter(([, text]) => text !== '')",
    'filter(([, text]) => text !== undefined)',
  ),
  byLinks(
    'moved',
    'the program links to a page that does not exist',
    'src/base/docs-link.ts',
    "errors: 'reference/errors'",
    "errors: 'reference/error-codes'",
  ),
  byLinks(
    'subject',
    'a refusal links to a section that does not exist',
    'src/http/error-links.ts',
    ".replaceAll(' ', '-')",
    ".replaceAll(' ', '_')",
  ),
  byLinks(
    'chart',
    'the notes of the chart name a page that the address of the documentation does not reach',
    'charts/zonestead/templates/NOTES.txt',
    'Next: {{ include "zonestead.docs" (dict "root" . "page" "how-to/first-user-and-keys") }}',
    'Next: docs/how-to/first-user-and-keys.md',
  ),
  byRefusals(
    'refusal',
    'a refusal has no link, although the service knows the address of the documentation',
    'src/http/refusals.ts',
    '  linkToRule(reply, refused.rule);\n',
    '',
  ),
  byHelp(
    'help',
    'help of the program does not name the documentation',
    'src/cli/zonestead.ts',
    "linkToPage(site, 'command line')",
    "''",
  ),
  byReadme(
    'output',
    'README shows another state of the record than the tutorial',
    'README.md',
    'mine-www   mine   www      A      192.0.2.1   True    Ready    2s',
    'mine-www   mine   www      A      192.0.2.1   True    Live     2s',
  ),
];
