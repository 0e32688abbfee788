import { grouped } from "../../../util/amounts.js";
import { parseExactly } from "../../content/json/parse-exactly.js";
import { jqPath } from "../../content/json/sets/set-names.js";
import type { Place } from "../../profile/place.js";
import { profileValue } from "../../profile/profile.js";
import { type Look, typeText } from "../place-text.js";
import { inRank, type Outline, type OutlineEntry } from "./outline.js";

interface Way {
  readonly path: string;
  readonly depth: number;
  readonly isInList: boolean;
}

const LOOK: Look = { density: "counts", isSample: false, isTable: false, isDocument: true };
const LEGEND =
  "jq path (how many): type; text if no type is named; name? is absent or null in some";
const CUT = /\{…\}|, …\}|…$/;
const MAX_ENTRIES = 600;
const MAX_KEY_CHARACTERS = 40;
const DEPTH_WEIGHT = 0.5;

/** The root, and below lines that were cut, shallow places with most values. */
export function structureOutline(value: unknown): Outline {
  const entries: OutlineEntry[] = [];

  function visit(place: Place, way: Way) {
    const text = typeText(place, LOOK);
    const count = way.isInList ? ` (${grouped(place.count)})` : "";
    entries.push({
      text: `${way.path || "."}${count}: ${text}`,
      rank: way.depth === 0 ? 0 : 1,
      weight: Math.log10(place.count) - DEPTH_WEIGHT * way.depth,
    });
    const isCut = way.depth === 0 ? text.includes("…") : CUT.test(text);
    if (isCut) visitInside(place, way);
  }

  function visitInside(place: Place, { path, depth, isInList }: Way) {
    const { fields, items, members, objects, arrays, count } = place;
    // One path would give the members of both.
    for (const inside of [objects > 0 ? undefined : items, arrays > 0 ? undefined : members])
      if (inside !== undefined)
        visitInside(inside, { path: `${path || "."}[]?`, depth, isInList: true });
    for (const field of fields) {
      const { key } = field;
      if (!hasObjects(field) || key.length > MAX_KEY_CHARACTERS) continue;
      visit(field, {
        path: path + jqPath([key]) + (objects + place.nulls < count ? "?" : ""),
        depth: depth + 1,
        isInList: isInList || objects !== 1,
      });
    }
  }

  visit(profileValue(value), { path: "", depth: 0, isInList: false });
  return {
    facts: [LEGEND],
    entries: inRank(entries).slice(0, MAX_ENTRIES),
    total: entries.length,
    noun: "places",
    hasLines: false,
  };
}

export function jsonOutline(text: string): Outline | undefined {
  try {
    return structureOutline(parseExactly(text));
  } catch {
    return undefined;
  }
}

function hasObjects({ objects, items }: Place): boolean {
  return objects > 0 || (items !== undefined && hasObjects(items));
}
