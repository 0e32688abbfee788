import { shorten } from "../../util/safe-text.js";
import type { StoredArtifact } from "../../core/types/artifact.js";
import { printableLine } from "./printable.js";

const MAX_SHOWN_CHARACTERS = 400;

/** The recipes of an output by number, a line each. */
export function recipeLines({ recipes }: StoredArtifact): readonly string[] {
  return recipes.map(({ description, params }, index) => {
    const names = Object.entries(params).map(([name, value]) => `${name}=${value}`);
    const text = [description, ...(names.length === 0 ? [] : [`(${names.join(", ")})`])];
    const shown = shorten(printableLine(text.join(" ")), MAX_SHOWN_CHARACTERS);
    return `${String(index + 1).padStart(4)}  ${shown}\n`;
  });
}
