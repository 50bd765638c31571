// The search of the site: MiniSearch in the browser over every section of every page. The options go to the browser as
// text, so a function in them must not use names from outside of it.
import type { DefaultTheme } from 'vitepress';

type Options = NonNullable<DefaultTheme.LocalSearchOptions['miniSearch']>;

/** People type questions: the words that every page has would drown the others. */
const processTerm = (term: string): string | null => {
  const word = term.toLowerCase();
  const empty =
    /^(?:a|an|the|and|or|of|to|in|on|at|by|for|from|with|is|are|be|do|does|did|can|could|how|what|why|when|where|which|who|i|my|me|we|our|it|its|this|that|there|not|no|if|have|has|will|should|get|use)$/;
  return empty.test(word) ? null : word;
};

/**
 * The long lists of the reference contain every word: a page that explains one thing comes before them. The page of
 * conditions comes before pages that mention a reason.
 */
const boostDocument = (id: string): number => {
  if (/\/reference\/(?:cli|settings|helm-values|metrics|errors|rest|alerts|dnszone|dnsrecord|permissions)\./.test(id))
    return 0.4;
  if (/\/(?:design|project\/(?:changelog|chart-changelog|source|tests))/.test(id)) return 0.4;
  return /\/reference\/conditions\./.test(id) ? 1.5 : 1;
};

export const MINI_SEARCH: Options = {
  options: { processTerm },
  searchOptions: { fuzzy: 0.2, prefix: true, boost: { title: 4, text: 2, titles: 2 }, boostDocument },
};

/** The index has a line about every page, and would be found in place of them. */
export const renderForSearch: NonNullable<DefaultTheme.LocalSearchOptions['_render']> = (source, env, md) =>
  env.relativePath === 'docs/index.md' ? '' : md.render(source, env);
