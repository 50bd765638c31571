// Links of pages as they are on GitHub become links of the site: relative to the place of the page, and to a copy of
// each file that is not a page. Addresses with a scheme and anchors of the same page stay.
import { posix } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';
import { findPlace, placeOfCopy } from './places.ts';

export interface SiteLink {
  readonly href: string;
  /** The file to copy, as a path in the repository, if the link leads to one. */
  readonly file?: string;
}

/**
 * @param page path of the page in the repository
 * @param href as the page has it
 */
export function toSiteLink(page: string, href: string): SiteLink {
  if (/^(?:[a-z][a-z+.-]*:|#|\/)/i.test(href)) return { href };
  const [path = '', anchor] = href.split('#');
  const target = posix.normalize(posix.join(posix.dirname(page), decodeURI(path)));
  const place = findPlace(target);
  const from = posix.dirname(findPlace(page) ?? page);
  const relative = posix.relative(from, place ?? placeOfCopy(target));
  const link = `${encodeURI(relative)}${anchor === undefined ? '' : `#${anchor}`}`;
  return place === undefined ? { href: link, file: target } : { href: link };
}

/**
 * Adds the rule to VitePress's renderer.
 * @param root the repository
 * @param files gets the files that must be copied
 */
export function useSiteLinks(md: MarkdownRenderer, root: string, files: Set<string>): void {
  md.core.ruler.push('site_links', ({ tokens, env }) => {
    // The search index renders the same pages, without realPath.
    const page = posix.relative(root, env.realPath ?? env.path);
    for (const { children } of tokens) {
      for (const token of children ?? []) {
        if (token.type !== 'link_open') continue;
        const { href, file } = toSiteLink(page, token.attrGet('href') ?? '');
        token.attrSet('href', href);
        if (file === undefined) continue;
        files.add(file);
        // VitePress takes a link with a target as it is, and opens it without its router.
        token.attrSet('target', '_self');
      }
    }
  });
}
