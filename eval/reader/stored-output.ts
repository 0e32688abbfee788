/** What a tool message that stands for a stored output says of it. */
export interface StoredOutput {
  /** Id, file name or path, as the tools take it. */
  readonly reference: string;
  /** Whether the stored file has one record a line. */
  readonly hasLines: boolean;
}

/** Finds the reference in a descriptor of any preset and in deepagents' message; `undefined` for data. */
export function storedOutputIn(text: string): StoredOutput | undefined {
  const reference = referenceIn(text);
  if (reference === undefined) return undefined;
  const isNumbered = /^ +1\t.*\n +2\t/m.test(text);
  return { reference, hasLines: reference.endsWith(".jsonl") || isNumbered };
}

function referenceIn(text: string): string | undefined {
  const evicted = /saved in the filesystem at this path: (\S+)/.exec(text);
  if (evicted !== null) return evicted[1];
  const saved = /^Use the exact filename (\S+) with:$/m.exec(text);
  if (saved !== null) return saved[1];
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof document !== "object" || document === null || Array.isArray(document))
    return undefined;
  const file: unknown = Reflect.get(document, "file_ref");
  const found: unknown =
    Reflect.get(document, "artifact_id") ??
    (Reflect.get(document, "offloaded") === true
      ? Reflect.get(document, "file_path")
      : undefined) ??
    (typeof file === "object" && file !== null ? Reflect.get(file, "path") : undefined);
  return typeof found === "string" ? found : undefined;
}
