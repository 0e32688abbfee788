import * as z from "zod";

/**
 * A field that the model is told is of one type; other spellings pass, for the drill-in to understand or
 * refuse.
 */
export function lenient(type: "integer" | "boolean", description: string): z.ZodType {
  return z.unknown().optional().meta({ type, description });
}
