import { realOutputs } from "../../scripts/real-outputs/real-outputs.js";
import type { RawOutput } from "./truths/evidence.js";

/** Longer files take long, and say nothing else. */
const MAX_CHARACTERS = 6_000_000;

/** Files of published packages as outputs; those that are no text are left out. */
export async function realTexts(): Promise<readonly RawOutput[]> {
  const all = await realOutputs();
  return all.flatMap(({ name, load }) => {
    const text = load();
    return typeof text === "string" && text.length <= MAX_CHARACTERS ? [{ name, text }] : [];
  });
}
