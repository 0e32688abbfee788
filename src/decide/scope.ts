/** Tools by name, or a rule that is asked for each name. */
export type ToolSelector = readonly string[] | ((toolName: string) => boolean);

/** Which tools take part. The drill-in tools never do, whatever stands here. */
export interface ScopeOptions {
  /** Only these tools; all when absent. */
  readonly include?: ToolSelector;
  /** Never these tools, even when `include` names them. */
  readonly exclude?: ToolSelector;
}

/** Whether outputs of this tool may be offloaded. */
export function inScope(toolName: string, scope: ScopeOptions | undefined): boolean {
  if (scope === undefined) return true;
  if (scope.exclude !== undefined && selects(scope.exclude, toolName)) return false;
  return scope.include === undefined || selects(scope.include, toolName);
}

function selects(selector: ToolSelector, toolName: string): boolean {
  return typeof selector === "function" ? selector(toolName) : selector.includes(toolName);
}
