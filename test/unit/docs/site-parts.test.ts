// The parts of the documentation's site: links, navigation and settings.
import { expect, test } from 'vitest';
import { toSiteLink } from '../../../docs/site/links.ts';
import { readMenu, readSidebar } from '../../../docs/site/navigation.ts';
import { readSiteSettings } from '../../../docs/site/settings.ts';

test('a link between pages of docs/ stays as it is on GitHub', () => {
  expect(toSiteLink('docs/how-to/undo.md', '../reference/rest.md#errors')).toEqual({
    href: '../reference/rest.md#errors',
  });
  expect(toSiteLink('docs/how-to/undo.md', '#undo')).toEqual({ href: '#undo' });
  expect(toSiteLink('docs/how-to/undo.md', 'https://example.net/a.md')).toEqual({ href: 'https://example.net/a.md' });
});

test('a link to a page of another folder leads to its place on the site, and back', () => {
  expect(toSiteLink('docs/how-to/undo.md', '../../CHANGELOG.md').href).toBe('../project/changelog.md');
  expect(toSiteLink('SECURITY.md', 'docs/reference/limits.md#dns').href).toBe('../reference/limits.md#dns');
});

test('a link to a file that is not a page leads to a copy of the file', () => {
  expect(toSiteLink('docs/how-to/upgrade.md', '../../deploy/examples/alias.yaml')).toEqual({
    href: '../source/deploy/examples/alias.yaml',
    file: 'deploy/examples/alias.yaml',
  });
  expect(toSiteLink('docs/reference/rest.md', 'openapi.json')).toEqual({
    href: 'openapi.json',
    file: 'docs/reference/openapi.json',
  });
});

const INDEX = [
  '# All',
  'Text [x](y.md).',
  '## Use',
  '- [Undo](how-to/undo.md): changes',
  '## Look up',
  '### REST',
].concat('- [Errors](reference/errors.md)', '- [Changes](../CHANGELOG.md)');

test('the navigation has the sections and lists of the index, and opens the first one', () => {
  expect(readSidebar(INDEX.join('\n'))).toEqual([
    { text: 'Use', collapsed: false, items: [{ text: 'Undo', link: '/how-to/undo.md' }] },
    {
      text: 'Look up',
      collapsed: true,
      items: [
        {
          text: 'REST',
          collapsed: true,
          items: [
            { text: 'Errors', link: '/reference/errors.md' },
            { text: 'Changes', link: '/project/changelog.md' },
          ],
        },
      ],
    },
  ]);
});

test('a menu of the navigation has the entries of one section, and a section that is missing is named', () => {
  const sidebar = readSidebar(INDEX.join('\n'));
  expect(readMenu(sidebar, 'Use')).toEqual({ text: 'Use', items: [{ text: 'Undo', link: '/how-to/undo.md' }] });
  expect(() => readMenu(sidebar, 'Operate')).toThrow('docs/index.md has no section "Operate"');
});

test('the settings of the site have defaults, and empty variables count as not set', () => {
  expect(readSiteSettings({ DOCS_REPOSITORY: '', PATH: '/bin' })).toEqual({ DOCS_BASE: '/', DOCS_VERSIONS: [] });
});

test('the settings of the site are refused together, each with the form that is accepted', () => {
  const wrong = { DOCS_BASE: 'docs', DOCS_REPOSITORY: 'git@example.net:a/b', DOCS_VERSIONS: '0.1' };
  expect(() => readSiteSettings(wrong)).toThrow(
    [
      'DOCS_BASE: must begin and end with /, for instance /zonestead/0.1/',
      'DOCS_REPOSITORY: must be an http or https address',
      'DOCS_VERSIONS: must be NAME=ADDRESS, for instance 0.1=https://docs.example.net/0.1/',
    ].join('\n'),
  );
});

test('the settings of the site name other versions with their addresses', () => {
  const { DOCS_VERSIONS, DOCS_REPOSITORY } = readSiteSettings({
    DOCS_VERSIONS: '0.1=https://a.example/0.1/ next=/next/',
    DOCS_REPOSITORY: 'https://git.example.net/dns/zonestead/',
  });
  expect(DOCS_VERSIONS).toEqual([
    { text: '0.1', link: 'https://a.example/0.1/' },
    { text: 'next', link: '/next/' },
  ]);
  expect(DOCS_REPOSITORY).toBe('https://git.example.net/dns/zonestead');
});
