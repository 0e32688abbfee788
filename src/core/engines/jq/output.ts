/** Collects the results that jq writes as compact JSON lines, up to a count and a size. */
export interface JqOutput {
  /** Takes bytes as jq writes them and returns whether more are wanted. */
  push(bytes: Uint8Array): boolean;
  readonly text: () => string;
  readonly resultCount: () => number;
  readonly truncated: () => boolean;
}

interface OutputOptions {
  /** Results that are left out at the beginning, however large. */
  readonly skip: number;
  readonly limit: number | undefined;
  readonly maxOutputBytes: number;
}

const NEWLINE = 10;

/**
 * Creates a collector. Only whole results are kept: the first that is over a limit ends the
 * collecting, so the text is always a beginning of what jq would have printed.
 */
export function createJqOutput(options: OutputOptions): JqOutput {
  const results: string[] = [];
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;
  let usedBytes = 0;
  let toSkip = options.skip;
  let full = false;

  function addLine(line: Buffer): void {
    const bytes = line.length + (results.length > 0 ? 1 : 0);
    full = results.length === options.limit || usedBytes + bytes > options.maxOutputBytes;
    if (full) return;
    usedBytes += bytes;
    results.push(line.toString("utf8"));
  }

  function push(bytes: Uint8Array): boolean {
    let from = 0;
    while (!full && from < bytes.length) {
      const end = bytes.indexOf(NEWLINE, from);
      if (toSkip > 0) {
        if (end < 0) break;
        toSkip -= 1;
        from = end + 1;
        continue;
      }
      const part = bytes.subarray(from, end < 0 ? bytes.length : end);
      pendingBytes += part.length;
      if (pendingBytes > options.maxOutputBytes) {
        full = true;
        break;
      }
      if (end < 0) {
        // The memory behind `bytes` belongs to jq and changes after this call.
        pending.push(part.slice());
        break;
      }
      addLine(Buffer.concat([...pending, part]));
      pending = [];
      pendingBytes = 0;
      from = end + 1;
    }
    return !full;
  }

  return {
    push,
    text: () => results.join("\n"),
    resultCount: () => results.length,
    truncated: () => full,
  };
}
