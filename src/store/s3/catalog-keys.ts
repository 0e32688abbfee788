import { timeKey } from "./keys.js";

/** A catalog: the first and the last id in it, and when all in it have expired, in Unix milliseconds. */
interface CatalogName {
  readonly scope: string;
  readonly first: string;
  readonly last: string;
  readonly expiresAt: number;
}

/** The keys of a store's catalogs, and of the empty objects that tell when each can go. */
export interface CatalogKeys {
  readonly expiryPrefix: string;
  sessionPrefix(scope: string): string;
  catalog(name: Omit<CatalogName, "expiresAt">): string;
  expiry(name: CatalogName): string;
  /** Which ids a catalog is of; `undefined` for a key that is not ours. */
  nameOf(key: string): { readonly first: string; readonly last: string } | undefined;
  expiryOf(key: string): (CatalogName & { readonly key: string }) | undefined;
}

const NAME = /\/([0-7][0-9A-HJKMNP-TV-Z]{25})-([0-7][0-9A-HJKMNP-TV-Z]{25})$/;
const EXPIRY =
  /^(\d{16})\/([0-9a-f]{64})\/([0-7][0-9A-HJKMNP-TV-Z]{25})-([0-7][0-9A-HJKMNP-TV-Z]{25})$/;

export function catalogKeys(prefix: string): CatalogKeys {
  const expiryPrefix = `${prefix}/catalog-expiry/`;
  const sessionPrefix = (scope: string): string => `${prefix}/catalog/${scope}/`;
  return {
    expiryPrefix,
    sessionPrefix,
    catalog: ({ scope, first, last }) => `${sessionPrefix(scope)}${first}-${last}`,
    expiry: ({ scope, first, last, expiresAt }) =>
      `${expiryPrefix}${timeKey(expiresAt)}/${scope}/${first}-${last}`,
    nameOf: (key) => {
      const [, first, last] = NAME.exec(key) ?? [];
      return first === undefined || last === undefined ? undefined : { first, last };
    },
    expiryOf: (key) => {
      if (!key.startsWith(expiryPrefix)) return undefined;
      const [, time, scope, first, last] = EXPIRY.exec(key.slice(expiryPrefix.length)) ?? [];
      if (scope === undefined || first === undefined || last === undefined) return undefined;
      return { key, scope, first, last, expiresAt: Number(time) };
    },
  };
}
