// Links from messages, help and pages to the documentation. Its address is a setting, because the project has no public
// site: a person who builds one (docs/how-to/build-the-documentation.md) says where it is.

/** The pages that something links to, as paths below docs/ without their ending. The chart has its links in templates. */
export const LINKED_PAGES = {
  index: 'index',
  errors: 'reference/errors',
  'command line': 'how-to/use-the-command-line',
} as const;

export type LinkedPage = keyof typeof LINKED_PAGES;

/**
 * The address of a page, or its path in the repository for a reader with a checkout.
 * @param site address of the site, such as https://docs.example.net/0.1/; undefined if there is none
 * @param anchor that of a heading, without #
 */
export function linkToPage(site: string | undefined, page: LinkedPage, anchor?: string): string {
  const path = LINKED_PAGES[page];
  const place = site === undefined ? `docs/${path}.md` : `${site.replace(/\/+$/, '')}/${path}.html`;
  return anchor === undefined ? place : `${place}#${anchor}`;
}
