import type * as z from "zod";

import { rule } from "./option-rules.js";

/** @param allowed - What the pattern allows, in words. */
export function textRule(pattern: RegExp, allowed: string): z.ZodType {
  return rule((value) => typeof value === "string" && pattern.test(value), allowed);
}
