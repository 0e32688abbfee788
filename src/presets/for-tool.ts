import type { OffloadOptions, OwnToolOptions } from "../core/options/options.js";

/**
 * What of a preset one tool can have: `scope: { perTool: { search: forTool(vectara()) } }`. Tokenizer, store, drill-in
 * tools, sweeps, caps and the budget of a turn are those of the agent.
 */
export function forTool(preset: OffloadOptions): OwnToolOptions {
  const { enabled, selectResultSet, threshold, encode, fileName, describe } = preset;
  const { turnBudget: _budget, callArgument: _argument, ...decide } = preset.decide ?? {};
  const { ttlMs, refreshOnRead } = preset.retention ?? {};
  const own = {
    enabled,
    selectResultSet,
    threshold,
    decide: preset.decide && decide,
    encode,
    fileName,
    describe,
    retention: preset.retention && given({ ttlMs, refreshOnRead }),
  };
  return given(own);
}

function given(parts: object): object {
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined));
}
