import * as z from "zod";

/** Shows the model one type but accepts any value, which the drill-in interprets or refuses. */
export function lenient(type: "integer" | "boolean", description: string): z.ZodType {
  return z.unknown().optional().meta({ type, description });
}
