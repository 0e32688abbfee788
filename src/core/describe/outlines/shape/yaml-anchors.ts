import { addValues, type ShapeMaker, type ShapeNode } from "./shape-tree.js";

/** Where a value of YAML belongs. */
export interface YamlPlace {
  /** Its place in the document, and one for each anchor that it is part of; none where it is not told apart. */
  readonly nodes: readonly ShapeNode[];
  /** Under a merge key: where the mapping has what it is merged with. */
  readonly merges?: ShapeNode[] | undefined;
}

/** What the anchors of a document name, each by itself. */
export interface YamlAnchors {
  /** The place of a value that has these properties. */
  readonly placeOf: (properties: string, place: YamlPlace, line: number) => YamlPlace;
  /** What an alias names; `"untold"` where that is not told by itself. */
  readonly find: (name: string) => ShapeNode | "untold" | "none";
  /** Adds to places what a value has; `false` where that is too much. */
  readonly add: (value: ShapeNode, places: readonly ShapeNode[]) => boolean;
  /** The members of a mapping that it has from those it is merged with, the first one's before the next one's; `false` as above. */
  readonly merge: (
    from: readonly ShapeNode[],
    keys: readonly string[],
    places: readonly ShapeNode[],
  ) => boolean;
  /** Notes that a value is in brackets, whose members are not looked into. */
  readonly hide: (places: readonly ShapeNode[]) => void;
  /** Whether members are told of a place of which some are hidden. */
  readonly hasHidden: () => boolean;
  readonly endDocument: () => void;
}

const ANCHOR = /&([^\s[\]{},]{1,100})/;
const MAX_ANCHORS = 2_000;
/** Anchors within anchors. */
const MAX_NODES = 8;
/** Places that aliases and merge keys add in all. */
const MAX_ADDED = 50_000;

export function createAnchors(shapes: ShapeMaker): YamlAnchors {
  const anchors = new Map<string, ShapeNode | "untold">();
  const hidden = new Set<ShapeNode>();
  let made = 0;
  let left = MAX_ADDED;

  function add(value: ShapeNode, to: ShapeNode): boolean {
    left -= 1;
    if (left < 0) return false;
    addValues(to, value);
    if (hidden.has(value)) hidden.add(to);
    if (value.members !== undefined) to.members ??= new Map();
    for (const [key, member] of value.members ?? []) {
      const place = shapes.member(to, key, member.line);
      if (place !== undefined && !add(member, place)) return false;
    }
    const items = value.items && shapes.item(to, value.items.line);
    return value.items === undefined || items === undefined || add(value.items, items);
  }

  return {
    placeOf(properties, place, line) {
      const name = ANCHOR.exec(properties)?.[1];
      if (name === undefined) return place;
      made += 1;
      if (made > MAX_ANCHORS || place.nodes.length >= MAX_NODES) {
        anchors.set(name, "untold");
        return place;
      }
      const own = shapes.node(line);
      anchors.set(name, own);
      return { ...place, nodes: [...place.nodes, own] };
    },
    find: (name) => anchors.get(name) ?? "none",
    add: (value, places) => places.every((place) => add(value, place)),
    merge(from, keys, places) {
      const known = new Set(keys);
      return from.every((value) => {
        if (hidden.has(value) || value.others > 0) return false;
        return [...(value.members ?? [])].every(([key, member]) => {
          if (known.has(key)) return true;
          known.add(key);
          return places.every((place) => {
            const own = shapes.member(place, key, member.line);
            return own === undefined || add(member, own);
          });
        });
      });
    },
    hide(places) {
      for (const place of places) hidden.add(place);
    },
    hasHidden: () =>
      [...hidden].some(({ members, items }) => members !== undefined || items !== undefined),
    endDocument: () => anchors.clear(),
  };
}
