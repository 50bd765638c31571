// The documentation as the site that `npm run docs:build` makes: its pages with their links, and its search.
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import MiniSearch from 'minisearch';
import { runCommand } from '../../../deploy/local/parts/commands.ts';
import { MINI_SEARCH } from '../../../docs/site/search.ts';
import { PROJECT } from './document.ts';

export interface SitePage {
  /** Its path in the site, for instance `how-to/undo.html`. */
  readonly path: string;
  readonly html: string;
  readonly ids: ReadonlySet<string>;
  /** Addresses of links, pictures, scripts and styles. */
  readonly addresses: readonly string[];
}

/** The variables of the build; nothing else of this process but PATH and HOME is handed on. */
type Variables = Readonly<Record<string, string>>;

const options = (command: string, more: readonly string[], env: Variables) => ({
  command: 'sh',
  // A comment after the command is for readers.
  args: ['-c', `exec ${command.replace(/\s+#.*/, '')} -- ${more.join(' ')}`],
  cwd: PROJECT,
  env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
  timeoutMs: 500_000,
});

/**
 * Builds the site in a folder, which takes about 15 seconds of one processor.
 * @param command as the page has it
 */
export async function buildSite(command: string, folder: string, env: Variables, signal: AbortSignal): Promise<void> {
  const { code, tail } = await runCommand({ ...options(command, ['--outDir', folder], env), signal });
  if (code !== 0) throw new Error(`the site was not built (code ${code}):\n${tail}`);
}

/** Starts the site for an author, gets one page of it, and stops it. @param path the page's place on the site */
export async function getFromAuthorsSite(command: string, path: string, signal: AbortSignal): Promise<Response> {
  const stop = new AbortController();
  const address = Promise.withResolvers<string>();
  const onLine = (line: string) => {
    const [found] = /http:\/\/localhost:\d+\//.exec(line) ?? [];
    if (found !== undefined) address.resolve(found);
  };
  const ends = AbortSignal.any([signal, stop.signal]);
  const served = runCommand({ ...options(command, ['--port', '0'], {}), onLine, signal: ends });
  served.catch((error: unknown) => address.reject(error));
  try {
    return await fetch(new URL(path, await address.promise), { signal });
  } finally {
    stop.abort();
    await served.catch(() => undefined);
  }
}

/** The pages of a built site, without the one for wrong addresses. */
export function readSite(folder: string): Promise<SitePage[]> {
  const paths = globSync('**/*.html', { cwd: folder }).filter((path) => path !== '404.html');
  return Promise.all(paths.sort().map(async (path) => parseHtml(path, await readFile(join(folder, path), 'utf8'))));
}

/** Pure. */
export function parseHtml(path: string, html: string): SitePage {
  const values = (name: string) =>
    [...html.matchAll(new RegExp(`\\s${name}="([^"]*)"`, 'g'))].map(([, value = '']) => decodeEntities(value));
  return { path, html, ids: new Set(values('id')), addresses: [...values('href'), ...values('src')] };
}

const decodeEntities = (text: string) =>
  text.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&#39;', "'");

/**
 * Where an address of a page leads in the site; undefined for an address of another host.
 * @param base path of the site at its host
 */
export function resolveAddress(page: string, address: string, base: string): { path: string; id: string } | undefined {
  if (/^[a-z][a-z+.-]*:|^\/\//i.test(address)) return undefined;
  const { pathname, hash } = new URL(address, `http://site${posix.join(base, page)}`);
  const path = decodeURIComponent(pathname).slice(base.length);
  return {
    path: path === '' || path.endsWith('/') ? `${path}index.html` : path,
    id: decodeURIComponent(hash.slice(1)),
  };
}

/** The links of the navigation, as a page has them. */
export function readNavigation({ html }: SitePage): string[] {
  const bar = /<aside class="VPSidebar"[\s\S]*?<\/aside>/.exec(html)?.[0] ?? '';
  return [...bar.matchAll(/\shref="([^"]+)"/g)].map(([, address = '']) => decodeEntities(address));
}

/** The search of a site as a browser has it. @returns paths of pages, the best first */
export async function openSearch(folder: string): Promise<(question: string) => string[]> {
  const [file] = globSync('assets/chunks/@localSearchIndex*.js', { cwd: folder });
  if (file === undefined) throw new Error(`the site in ${folder} has no search index`);
  const { default: json } = (await import(join(folder, file))) as { default: string };
  const index = MiniSearch.loadJSON(json, {
    fields: ['title', 'titles', 'text'],
    storeFields: ['title', 'titles'],
    ...MINI_SEARCH.options,
    ...(MINI_SEARCH.searchOptions === undefined ? {} : { searchOptions: MINI_SEARCH.searchOptions }),
  });
  return (question) => [
    ...new Set(index.search(question).map(({ id }) => String(id).split('#')[0]!.replace(/^\//, ''))),
  ];
}
