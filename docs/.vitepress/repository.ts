/** Where the source is, as `package.json` says it; a page links to it only then. */
export interface Repository {
  /** The repository's own page. */
  readonly url: string;
  /** Where a page is edited; `:path` is the page's file below `docs`. */
  readonly editPattern: string;
}

const SHORT = /^(?:github:)?([\w.-]+\/[\w.-]+)$/;
const WRAPPED = /^(?:git\+)?(https:\/\/.+?)(?:\.git)?$/;

/**
 * Reads the field `repository` of a `package.json`, in any of npm's forms.
 *
 * @returns `undefined` when the field is not set, or names no page on the web.
 */
export function repositoryOf({
  repository,
}: {
  readonly repository?: unknown;
}): Repository | undefined {
  const text =
    typeof repository === "object" && repository !== null && "url" in repository
      ? repository.url
      : repository;
  if (typeof text !== "string") return undefined;
  const short = SHORT.exec(text)?.[1];
  const url = short === undefined ? WRAPPED.exec(text)?.[1] : `https://github.com/${short}`;
  return url === undefined ? undefined : { url, editPattern: `${url}/edit/main/docs/:path` };
}
