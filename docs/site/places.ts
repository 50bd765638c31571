// The place of each page on the site. A page of docs/ keeps its path; pages of other folders that readers need, too,
// move to project/. Everything else in the repository is a file: a link to it leads to a copy.

/** By path in the repository. */
export const OTHER_PAGES: Readonly<Record<string, string>> = {
  'CHANGELOG.md': 'project/changelog.md',
  'charts/zonestead/CHANGELOG.md': 'project/chart-changelog.md',
  'CONTRIBUTING.md': 'project/contributing.md',
  'GOVERNANCE.md': 'project/governance.md',
  'SECURITY.md': 'project/security.md',
  'src/README.md': 'project/source.md',
  'test/README.md': 'project/tests.md',
};

/** @param path in the repository; undefined for a file that is not a page of the site */
export function findPlace(path: string): string | undefined {
  if (!path.endsWith('.md')) return undefined;
  return OTHER_PAGES[path] ?? (path.startsWith('docs/') ? path.slice('docs/'.length) : undefined);
}

/** Place of the copy of a file. @param path in the repository */
export function placeOfCopy(path: string): string {
  return path.startsWith('docs/') ? path.slice('docs/'.length) : `source/${path}`;
}
