import type { Mutant } from "./mutant.js";
import { fileAndResponse } from "./rules/file-and-response.js";
import { injectContext } from "./rules/inject-context.js";
import { lifecycleAndFailure } from "./rules/lifecycle-and-failure.js";
import { mcpProxy } from "./rules/mcp-proxy.js";
import { nativeExtraction } from "./rules/native-extraction.js";
import { recipesAndGuidance } from "./rules/recipes-and-guidance.js";
import { placementAndThreshold } from "./rules/placement-and-threshold.js";

/** In the order of the rules; a list for each file of tests. */
export const MUTANTS: readonly Mutant[] = [
  ...placementAndThreshold,
  ...fileAndResponse,
  ...recipesAndGuidance,
  ...injectContext,
  ...lifecycleAndFailure,
  ...mcpProxy,
  ...nativeExtraction,
].toSorted((one, other) => one.rule - other.rule);
