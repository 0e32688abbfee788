import { parseRankTable, type Encoding, type EncodingName, type RankTable } from "./encoding.js";

export interface LazyEncoding {
  /** The tokenizer; `undefined` while it is not loaded, and for good when it cannot be loaded. */
  readonly current: () => Encoding | undefined;
  readonly failed: () => boolean;
  /** Loads the tokenizer, once for all callers. Never rejects: `undefined` says that it failed. */
  readonly load: () => Promise<Encoding | undefined>;
}

/**
 * Wraps an import of a rank table, which takes some 30 ms with its index, and what may be read in its place, in some 4;
 * so it waits for need.
 */
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
      // Counting goes on with characters / 4; a tool call never fails because of a tokenizer.
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
