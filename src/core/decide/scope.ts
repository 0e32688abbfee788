import { atOnce } from "../../util/at-once.js";
import type { ToolOutput } from "../types/output.js";

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
  /**
   * Only these tools; all when absent.
   *
   * @remarks Set it when few tools have large outputs.
   */
  readonly include?: ToolSelector;
  /**
   * Never these tools, even when `include` names them.
   *
   * @remarks Set it when a tool's outputs must not be written, or are read whole.
   */
  readonly exclude?: ToolSelector;
  /**
   * Asked about each output of the tools that take part, before it is looked at; with `false` it is left alone. A
   * call without a `toolCallId` was made by code. When this throws, the output is left alone and a `write-failed`
   * event says so. A stream is unread; do not read it here.
   *
   * @remarks Set it when it depends on the arguments or the message.
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
  const answered: unknown = scope.when === undefined || atOnce("scope.when", scope.when(output));
  return Boolean(answered);
}

function selects(selector: ToolSelector, { toolName, metadata }: ToolOutput): boolean {
  if (typeof selector === "function") {
    const answered: unknown = atOnce("scope.include or scope.exclude", selector(toolName));
    return Boolean(answered);
  }
  if (!("metadata" in selector)) return selector.includes(toolName);
  return Object.entries(selector.metadata).every(
    ([key, value]) =>
      metadata !== undefined && Object.hasOwn(metadata, key) && metadata[key] === value,
  );
}
