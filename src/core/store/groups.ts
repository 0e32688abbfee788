/** Items under a key; a key without items is forgotten. */
export interface Groups<Key, Item> {
  add(key: Key, item: Item): void;
  remove(key: Key, item: Item): void;
  of(key: Key): Iterable<Item>;
  keys(): Iterable<Key>;
}

export function createGroups<Key, Item>(): Groups<Key, Item> {
  const groups = new Map<Key, Set<Item>>();
  return {
    add(key, item) {
      const group = groups.get(key);
      if (group === undefined) groups.set(key, new Set([item]));
      else group.add(item);
    },
    remove(key, item) {
      const group = groups.get(key);
      group?.delete(item);
      if (group?.size === 0) groups.delete(key);
    },
    of: (key) => groups.get(key) ?? [],
    keys: () => groups.keys(),
  };
}
