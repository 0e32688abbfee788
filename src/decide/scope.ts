import type { ToolOutput } from "../types.js";

/**
 * Tools by name, by entries of their `metadata`, or a rule that is asked for each name. Of several entries each
 * has to be there.
 */
export type ToolSelector =
  | readonly string[]
  | ((toolName: string) => boolean)
  | { readonly metadata: Readonly<Record<string, string | number | boolean | null>> };

/** Which outputs take part. Those of the drill-in tools never do, whatever stands here. */
export interface ScopeOptions {
  /** Only these tools; all when absent. */
  readonly include?: ToolSelector;
  /** Never these tools, even when `include` names them. */
  readonly exclude?: ToolSelector;
  /**
   * Asked about each output of the tools that take part, before it is looked at; with `false` it is left alone. A
   * call without a `toolCallId` was made by code. When this throws, the output is left alone and a `write-failed`
   * event says so. A stream is unread; do not read it here.
   */
  readonly when?: (output: ToolOutput) => boolean;
}

/**
 * Whether this output may be offloaded.
 *
 * @throws what a rule throws, and a TypeError when it gives a promise.
 */
export function inScope(output: ToolOutput, scope: ScopeOptions | undefined): boolean {
  if (scope === undefined) return true;
  if (scope.exclude !== undefined && selects(scope.exclude, output)) return false;
  if (scope.include !== undefined && !selects(scope.include, output)) return false;
  return scope.when === undefined || answer("when", scope.when(output));
}

function selects(selector: ToolSelector, { toolName, metadata }: ToolOutput): boolean {
  if (typeof selector === "function") return answer("include or scope.exclude", selector(toolName));
  if (!("metadata" in selector)) return selector.includes(toolName);
  return Object.entries(selector.metadata).every(
    ([key, value]) =>
      metadata !== undefined && Object.hasOwn(metadata, key) && metadata[key] === value,
  );
}

/** A promise would count as `true`, whatever it comes to. */
function answer(option: string, answered: unknown): boolean {
  if (typeof answered !== "object" || answered === null || !("then" in answered)) {
    return Boolean(answered);
  }
  void Promise.resolve(answered).catch(() => {});
  throw new TypeError(`scope.${option} must answer at once, and gave a promise.`);
}
