import { parseRankTable, type Encoding, type EncodingName, type RankTable } from "./encoding.js";

export interface LazyEncoding {
  /** `undefined` before, or if it cannot be loaded. */
  readonly current: () => Encoding | undefined;
  readonly failed: () => boolean;
  /** Never rejects; `undefined` on failure. */
  readonly load: () => Promise<Encoding | undefined>;
}

/** Importing and indexing a table takes 30 ms, reading the prebuilt index 4 ms. */
export function lazyEncoding(
  importTable: () => Promise<RankTable>,
  read?: () => Promise<Encoding | undefined>,
): LazyEncoding {
  let encoding: Encoding | undefined;
  let failed = false;
  let loading: Promise<Encoding | undefined> | undefined;
  const loadOnce = async (): Promise<Encoding | undefined> => {
    try {
      encoding = (await read?.()) ?? parseRankTable(await importTable());
    } catch {
      // Counting continues with characters / 4.
      failed = true;
    }
    return encoding;
  };
  return {
    current: () => encoding,
    failed: () => failed,
    load: () => (loading ??= loadOnce()),
  };
}

export const ENCODINGS: Readonly<Record<EncodingName, LazyEncoding>> = {
  o200k_base: lazyEncoding(
    async () => (await import("js-tiktoken/ranks/o200k_base")).default,
    async () => (await import("./prebuilt.js")).readPrebuilt("o200k_base"),
  ),
  cl100k_base: lazyEncoding(async () => (await import("js-tiktoken/ranks/cl100k_base")).default),
  p50k_base: lazyEncoding(async () => (await import("js-tiktoken/ranks/p50k_base")).default),
  r50k_base: lazyEncoding(async () => (await import("js-tiktoken/ranks/r50k_base")).default),
  gpt2: lazyEncoding(async () => (await import("js-tiktoken/ranks/gpt2")).default),
};
