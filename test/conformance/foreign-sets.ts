/** Data as other tools return them. */
export interface ForeignSet {
  readonly name: string;
  readonly toolName: string;
  readonly make: () => unknown;
}

const WORDS = "cache index retry queue token schema shard lease replica cursor".split(" ");
const word = (index: number): string => WORDS[index % WORDS.length] ?? "";
const times = <Value>(count: number, make: (index: number) => Value): Value[] =>
  Array.from({ length: count }, (_, index) => make(index));
const day = (index: number): string =>
  new Date(Date.UTC(2026, 0, 1) + index * 86_400_000).toISOString();

/** Ten shapes: nested, optional, mixed, sparse and in an object or a map. */
export const foreignSets: readonly ForeignSet[] = [
  {
    name: "issues of a tracker",
    toolName: "search_issues",
    make: () => ({
      total_count: 200,
      items: times(200, (index) => ({
        id: index,
        title: `Fix the ${word(index)}`,
        state: index % 3 === 0 ? "closed" : "open",
        labels: times(index % 3, (at) => ({ name: word(at) })),
        assignee: index % 4 === 0 ? null : { login: word(index) },
      })),
    }),
  },
  {
    name: "pods of a cluster",
    toolName: "list_pods",
    make: () =>
      times(150, (index) => ({
        metadata: { name: `web-${index}`, labels: { app: word(index) } },
        status: { phase: "Running", restarts: index % 4, ready: index % 2 === 0 },
      })),
  },
  {
    name: "readings with numbers of every kind",
    toolName: "read_sensors",
    make: () =>
      times(300, (index) => ({ at: day(index), value: index % 5 === 0 ? index : index / 3 })),
  },
  {
    name: "rows of a database with gaps",
    toolName: "query_orders",
    make: () =>
      times(250, (index) => ({
        order: index,
        region: ["north", "south", null][index % 3],
        ...(index % 2 === 0 && { note: `late by ${index} days` }),
      })),
  },
  {
    name: "events of different kinds",
    toolName: "read_events",
    make: () =>
      times(240, (index) =>
        index % 2 === 0
          ? { kind: "click", x: index, y: index * 2 }
          : { kind: "error", message: `no ${word(index)}`, stack: times(3, word) },
      ),
  },
  {
    name: "users in a map",
    toolName: "get_users",
    make: () =>
      Object.fromEntries(
        times(200, (index) => [
          `user-${index}`,
          { name: word(index), admin: index === 0, groups: [word(index), word(index + 1)] },
        ]),
      ),
  },
  {
    name: "a matrix",
    toolName: "correlate",
    make: () => times(120, (row) => times(30, (column) => (row * column) % 17)),
  },
  {
    name: "names and numbers mixed",
    toolName: "list_values",
    make: () => times(900, (index) => (index % 3 === 0 ? `value ${word(index)}` : index)),
  },
  {
    name: "products with keys that are no words",
    toolName: "list_products",
    make: () =>
      times(200, (index) => ({
        "unit price ($)": index * 1.5,
        größe: index % 2 === 0 ? "L" : 12,
        "": word(index),
        'a"b\\c': true,
      })),
  },
  {
    name: "trees of comments",
    toolName: "get_thread",
    make: () =>
      times(120, (index) => ({
        author: word(index),
        text: `On the ${word(index)} of ${day(index)}`,
        replies: times(index % 3, (at) => ({
          author: word(at),
          text: "yes",
          replies: [{ author: word(at + 1), text: null }],
        })),
      })),
  },
];
