import { createHash } from "node:crypto";

import { csvRows } from "../data/csv-rows.js";
import { AIRPORTS } from "../csv/csv-data.js";
import { LICENCES, MOVIES, PENGUINS, QUAKES } from "../json/json-data.js";
import { needing, type PracticeTask, type TaskReceiver } from "../task.js";

type Receiving = Omit<TaskReceiver, "take"> & {
  /** What of an item counts; `undefined` for one that the tool does not take. */
  readonly of: (item: unknown) => string | undefined;
};

/** A tool that takes a list and gives a receipt, which only the right items in any order bring about. */
function receiver({ of, ...tool }: Receiving): TaskReceiver {
  return {
    ...tool,
    take(data) {
      if (!Array.isArray(data)) return `${tool.argument} is a list.`;
      const items = data.map(of);
      const wrong = items.indexOf(undefined);
      if (wrong !== -1) return `Item ${wrong + 1} of ${tool.argument} is not as described.`;
      return `Received ${data.length} items. Receipt: ${receiptOf(items as string[])}`;
    },
  };
}

/** Of the items as they count. */
function receiptOf(items: readonly string[]): string {
  const text = items.toSorted().join("\n");
  return createHash("sha256").update(text).digest("hex").slice(0, 10);
}

/** Members of an object as one text; `undefined` when one is missing. */
function membersOf(item: unknown, names: readonly string[]): string | undefined {
  if (typeof item !== "object" || item === null) return undefined;
  const values = names.map((name): unknown => Reflect.get(item, name));
  return values.includes(undefined) ? undefined : values.map(String).join("|");
}

type Row = Readonly<Record<string, string | number | boolean | null>>;

interface QuakeList {
  readonly features: readonly {
    readonly id: string;
    readonly properties: { readonly mag: number | null; readonly place: string };
  }[];
}

const PENGUIN = ["Species", "Island", "Body Mass (g)", "Sex"] as const;

function receiptOfRows(rows: readonly object[], names: readonly string[]): string {
  return receiptOf(rows.map((row) => membersOf(row, names) ?? ""));
}

/** Tasks that hand data to another tool, whose receipt is the answer. */
export const HAND_ON_TASKS: readonly PracticeTask[] = [
  {
    id: "hand-on-alerts",
    kind: "hand-on",
    outputs: [needing(QUAKES, "properties.mag", "properties.place", "id")],
    receiver: receiver({
      tool: "publish_alerts",
      description: "Publishes alerts and gives a receipt.",
      argument: "alerts",
      argumentDescription: "Objects with id, mag and place",
      of: (item) => membersOf(item, ["id", "mag", "place"]),
    }),
    question:
      "Publish an alert with id, mag and place for every event of magnitude 4 or more, of whatever type. Answer with the receipt.",
    form: "text",
    answer: () => {
      const { features } = JSON.parse(QUAKES.load()) as QuakeList;
      const strong = features.filter(({ properties }) => (properties.mag ?? 0) >= 4);
      return receiptOfRows(
        strong.map(({ id, properties: { mag, place } }) => ({ id, mag, place })),
        ["id", "mag", "place"],
      );
    },
  },
  {
    id: "hand-on-penguins",
    kind: "hand-on",
    outputs: [needing(PENGUINS, ...PENGUIN)],
    receiver: receiver({
      tool: "archive_records",
      description: "Archives records and gives a receipt.",
      argument: "records",
      argumentDescription: "Records as they came, with all their members",
      of: (item) => membersOf(item, PENGUIN),
    }),
    question: "Archive all penguins as they are. Answer with the receipt.",
    form: "text",
    answer: () => receiptOfRows(JSON.parse(PENGUINS.load()) as Row[], PENGUIN),
  },
  {
    id: "hand-on-watchlist",
    kind: "hand-on",
    outputs: [needing(MOVIES, "Title", "IMDB Rating", "IMDB Votes")],
    receiver: receiver({
      tool: "make_watchlist",
      description: "Makes a list of films to watch and gives a receipt.",
      argument: "titles",
      argumentDescription: "Titles as texts",
      of: (item) => (typeof item === "string" ? item : undefined),
    }),
    question:
      "Make a watchlist of the titles of all films with an IMDB rating of at least 8 and at least 100,000 votes. Answer with the receipt.",
    form: "text",
    answer: () => {
      const films = (JSON.parse(MOVIES.load()) as Row[]).filter(
        (film) => Number(film["IMDB Rating"]) >= 8 && Number(film["IMDB Votes"]) >= 100_000,
      );
      return receiptOf(films.map((film) => String(film["Title"])));
    },
  },
  {
    id: "hand-on-airports",
    kind: "hand-on",
    outputs: [needing(AIRPORTS, "iata", "state", "city")],
    receiver: receiver({
      tool: "import_airports",
      description: "Imports airports and gives a receipt.",
      argument: "airports",
      argumentDescription: "Objects with iata and city",
      of: (item) => membersOf(item, ["iata", "city"]),
    }),
    question:
      "Import all airports of Alaska (state AK), with iata and city. Answer with the receipt.",
    form: "text",
    answer: () =>
      receiptOfRows(
        csvRows(AIRPORTS.load()).filter(({ state }) => state === "AK"),
        ["iata", "city"],
      ),
  },
  {
    id: "hand-on-licences",
    kind: "hand-on",
    outputs: [needing(LICENCES, "osiApproved", "name")],
    receiver: receiver({
      tool: "allow_licences",
      description: "Allows licences for a project and gives a receipt.",
      argument: "ids",
      argumentDescription: "SPDX identifiers as texts",
      of: (item) => (typeof item === "string" ? item : undefined),
    }),
    question: "Allow all OSI-approved licences by their SPDX identifiers. Answer with the receipt.",
    form: "text",
    answer: () => {
      const licences = JSON.parse(LICENCES.load()) as Record<string, { osiApproved: boolean }>;
      return receiptOf(Object.keys(licences).filter((id) => licences[id]?.osiApproved));
    },
  },
];
