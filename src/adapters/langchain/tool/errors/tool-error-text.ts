import { fieldOf } from "../../../../util/field-of.js";

/** Errors that stand around each other, at most. */
const MAX_DEPTH = 20;

/** What a tool threw, in its own words: those of its schema for wrong arguments. */
export function toolErrorText(thrown: unknown): string {
  let error = thrown;
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    const brand = fieldOf(error, "~brand");
    const inner =
      brand === "MiddlewareError"
        ? fieldOf(error, "cause")
        : brand === "ToolInvocationError"
          ? fieldOf(error, "toolError")
          : undefined;
    if (inner === undefined || inner === error) break;
    error = inner;
  }
  return error instanceof Error ? error.message : String(error);
}
