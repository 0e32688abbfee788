export interface JqOutput {
  push(bytes: Uint8Array): boolean;
  readonly results: readonly string[];
  readonly truncated: () => boolean;
}

interface OutputOptions {
  readonly skip: number;
  readonly limit: number | undefined;
  readonly maxOutputBytes: number;
}

const NEWLINE = 10;

/**
 * Creates a collector. Only whole results are kept: the first that is over a limit ends the
 * collecting, so the text is always a beginning of what jq would have printed.
 */
export function createJqOutput({ skip, limit, maxOutputBytes }: OutputOptions): JqOutput {
  const results: string[] = [];
  let pending: Uint8Array[] = [];
  let usedBytes = 0;
  let toSkip = skip;
  let full = false;

  return {
    push(bytes) {
      let from = 0;
      while (!full && from < bytes.length) {
        const end = bytes.indexOf(NEWLINE, from);
        const part = bytes.subarray(from, end < 0 ? bytes.length : end);
        from += part.length + 1;
        if (toSkip > 0) {
          toSkip -= end < 0 ? 0 : 1;
          continue;
        }
        usedBytes += part.length;
        full = usedBytes > maxOutputBytes || (end >= 0 && results.length === limit);
        if (full) break;
        // The memory behind `bytes` belongs to jq and changes after this call.
        pending.push(part.slice());
        if (end < 0) break;
        results.push(Buffer.concat(pending).toString("utf8"));
        pending = [];
        usedBytes += 1;
      }
      return !full;
    },
    results,
    truncated: () => full,
  };
}
