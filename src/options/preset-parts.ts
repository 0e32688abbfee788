/** Parts of the options that hold for a whole agent. */
const AGENT_PARTS = ["measure", "store", "drillIn"] as const;
const parts = new WeakSet<object>();

/**
 * Marks what a preset brings along for a whole agent. When the preset is for one tool, the agent's own
 * stand in for these parts; such a part that somebody states for one tool is refused.
 */
export function asPreset<
  Options extends { readonly [Part in (typeof AGENT_PARTS)[number]]?: unknown },
>(options: Options): Options {
  for (const part of AGENT_PARTS) {
    const value = options[part];
    if (typeof value === "object" && value !== null) parts.add(value);
  }
  return options;
}

/** Whether a part of the options is what a preset brought along. */
export function isPresetPart(value: unknown): boolean {
  return typeof value === "object" && value !== null && parts.has(value);
}
