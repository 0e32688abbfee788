import { fieldOf } from "../../../util/field-of.js";
import type { RunSite } from "./call-site.js";

/**
 * What overrides the options for one tool call: the run's `configurable.offload`, over its
 * `context.offload`, over the tool's `metadata.offload`. Each is an object with some of `enabled`,
 * `threshold` and `form`, or `false`; it is checked where it is applied.
 */
export function overridesOf({ configurable, context }: RunSite, tool: unknown): unknown {
  const ofTool = fieldOf(fieldOf(tool, "metadata"), "offload") ?? undefined;
  const ofContext = fieldOf(context, "offload") ?? undefined;
  const ofRun = fieldOf(configurable, "offload") ?? undefined;
  // Every call asks, and few have any.
  if ((ofTool ?? ofContext ?? ofRun) === undefined) return undefined;
  const given = [ofTool, ofContext, ofRun].map((overrides) => overridesIn(overrides ?? {}));
  return Object.assign({}, ...given);
}

/** A tool's `metadata`, for `include` and `exclude`. */
export function metadataOf(tool: unknown): Readonly<Record<string, unknown>> | undefined {
  const metadata = fieldOf(tool, "metadata");
  return typeof metadata === "object" && metadata !== null ? { ...metadata } : undefined;
}

function overridesIn(overrides: unknown): object {
  if (typeof overrides === "boolean") return { enabled: overrides };
  // What is neither is kept under a name that no override has, so that a warning shows it.
  return typeof overrides === "object" && overrides !== null ? overrides : { offload: overrides };
}
