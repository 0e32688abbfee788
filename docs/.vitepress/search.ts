import type { SearchOptions } from "minisearch";
import type { DefaultTheme } from "vitepress";

import { KEYWORDS } from "./keywords.js";

/**
 * How much a page counts in the search, by where it stands: guides before their evidence, then the reference and
 * the home page. VitePress hands the function to the browser as text: it knows nothing but its argument.
 */
function weightOf(id: string): number {
  if (/\/#/.test(id)) return 0.3;
  if (/\/api\//.test(id)) return 0.4;
  if (/\/(?:all-benchmarks|benchmarks|comparison|conformance|evaluation)\b|\/promises\//.test(id))
    return 0.5;
  return 1;
}

/** Of the index in the browser, and of the check that asks the same index. */
export const SEARCH_OPTIONS: SearchOptions = {
  fuzzy: 0.2,
  prefix: true,
  boost: { title: 4, text: 2, titles: 1 },
  boostDocument: weightOf,
};

export const search: DefaultTheme.LocalSearchOptions = {
  miniSearch: { searchOptions: SEARCH_OPTIONS },
  _render(source, env, markdown) {
    const { highlight } = markdown.options;
    // Colours of code are nothing to search for, and half of the work.
    markdown.options.highlight = null;
    const html = markdown.render(source, env);
    markdown.options.highlight = highlight;
    return withKeywords(html, env.relativePath);
  },
};

/**
 * A page with its keywords behind the headings they belong to.
 *
 * @throws When a keyword names a heading that the page has not.
 */
function withKeywords(html: string, page: string): string {
  let whole = html;
  for (const [place, words] of Object.entries(KEYWORDS)) {
    const [path, anchor] = place.split("#");
    if (path !== page) continue;
    const heading = anchor === undefined ? /<h1[\s\S]*?<\/h1>/ : headingOf(anchor);
    if (!heading.test(whole)) throw new Error(`docs/.vitepress/keywords.ts: no heading ${place}.`);
    whole = whole.replace(heading, (text) => `${text}<p>${words}</p>`);
  }
  return whole;
}

function headingOf(anchor: string): RegExp {
  return new RegExp(`<h(\\d) id="${anchor}"[\\s\\S]*?</h\\1>`);
}
