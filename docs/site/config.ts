// The documentation as a site: VitePress over the pages of docs/ as they are, which stay readable on GitHub.
import { cpSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DefaultTheme, defineConfig } from 'vitepress';
import packageFile from '../../package.json' with { type: 'json' };
import { toAnchor } from './anchors.ts';
import { useSiteLinks } from './links.ts';
import { readMenu, readSidebar } from './navigation.ts';
import { findPlace, OTHER_PAGES, placeOfCopy } from './places.ts';
import { MINI_SEARCH, renderForSearch } from './search.ts';
import { readSiteSettings } from './settings.ts';

const ROOT = join(import.meta.dirname, '../..');
const { DOCS_BASE: base, DOCS_REPOSITORY: repository, DOCS_VERSIONS: versions } = readSiteSettings(process.env);
const sidebar = readSidebar(readFileSync(join(ROOT, 'docs/index.md'), 'utf8'));
const markdownFiles = globSync('**/*.md', {
  cwd: ROOT,
  exclude: (name) => name === 'node_modules' || name.startsWith('.'),
});
const icon = readFileSync(join(ROOT, 'src/console/shell/assets/icon.svg'), 'base64');
const files = new Set<string>();

const versionMenu: DefaultTheme.NavItemWithChildren = {
  text: packageFile.version,
  items: [
    { text: 'Changelog', link: '/project/changelog' },
    { text: 'Releases and support', link: '/project/releases' },
    ...(versions.length === 0 ? [] : [{ text: 'Other versions', items: versions }]),
  ],
};

export default defineConfig({
  title: 'Zonestead',
  description:
    'DNS for Kubernetes that you host yourself: zones and records as resources, signed, and proven to be live.',
  lang: 'en',
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: `data:image/svg+xml;base64,${icon}` }]],
  base,
  srcDir: '..',
  srcExclude: ['.local/**', ...markdownFiles.filter((path) => findPlace(path) === undefined)],
  rewrites: { ...OTHER_PAGES, 'docs/:path*': ':path*' },
  outDir: '../.local/site',
  cacheDir: '../.local/site-cache',
  ignoreDeadLinks: 'localhostLinks',
  markdown: {
    anchor: { slugify: toAnchor },
    config: (md) => useSiteLinks(md, ROOT, files),
  },
  buildEnd: ({ outDir }) => {
    for (const file of files) cpSync(join(ROOT, file), join(outDir, placeOfCopy(file)));
  },
  vite: { build: { chunkSizeWarningLimit: 10_000 } },
  themeConfig: {
    nav: [readMenu(sidebar, 'Try it'), readMenu(sidebar, 'Install'), readMenu(sidebar, 'Operate'), versionMenu],
    sidebar,
    outline: { level: [2, 3] },
    search: { provider: 'local', options: { detailedView: true, miniSearch: MINI_SEARCH, _render: renderForSearch } },
    externalLinkIcon: true,
    ...(repository === undefined
      ? {}
      : {
          editLink: { pattern: `${repository}/edit/main/:path`, text: 'Edit this page' },
          socialLinks: [{ icon: 'github', link: repository, ariaLabel: 'Repository' }],
        }),
  },
});
