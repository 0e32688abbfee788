import { sumBy, topEntry } from "../data/reckon.js";
import { needing, type PracticeTask } from "../task.js";
import { CHARACTERS, CURRENCIES, WEEKS } from "./json-data.js";

interface Graph {
  readonly nodes: readonly { readonly name: string; readonly group: number }[];
  readonly links: readonly {
    readonly source: number;
    readonly target: number;
    readonly value: number;
  }[];
}

interface CurrencyData {
  readonly fractions: Readonly<Record<string, { readonly _digits: string }>>;
  readonly region: Readonly<
    Record<string, readonly Readonly<Record<string, { readonly _to?: string }>>[]>
  >;
}

interface WeekData {
  readonly minDays: Readonly<Record<string, string>>;
  readonly firstDay: Readonly<Record<string, string>>;
}

const graph = (): Graph => JSON.parse(CHARACTERS.load()) as Graph;
const currencies = (): CurrencyData =>
  (JSON.parse(CURRENCIES.load()) as { supplemental: { currencyData: CurrencyData } }).supplemental
    .currencyData;
const weeks = (): WeekData =>
  (JSON.parse(WEEKS.load()) as { supplemental: { weekData: WeekData } }).supplemental.weekData;

/** Questions about documents with several sets. */
export const SET_TASKS: readonly PracticeTask[] = [
  {
    id: "sets-central-character",
    kind: "sets",
    outputs: [needing(CHARACTERS, "nodes", "links", "name", "source", "target", "value")],
    question:
      "Which character has the highest sum of values over all links that begin or end at them? Answer [name, sum].",
    form: "list",
    answer: () => {
      const { nodes, links } = graph();
      const ends = links.flatMap(({ source, target, value }) => [
        { at: source, value },
        { at: target, value },
      ]);
      const sums = sumBy(
        ends,
        ({ at }) => nodes[at]?.name ?? "",
        ({ value }) => value,
      );
      return topEntry(sums);
    },
  },
  {
    id: "sets-links-within-groups",
    kind: "sets",
    outputs: [needing(CHARACTERS, "nodes", "links", "group", "source", "target")],
    question: "How many links connect two characters of the same group?",
    form: "number",
    answer: () => {
      const { nodes, links } = graph();
      return links.filter(({ source, target }) => nodes[source]?.group === nodes[target]?.group)
        .length;
    },
  },
  {
    id: "sets-brazil-currencies",
    kind: "sets",
    outputs: [needing(CURRENCIES, "region", "fractions", "_to")],
    question:
      "How many different currencies has Brazil (BR) used according to this history, and how many currencies are rounded to 0 digits (_digits)? Answer [number, number].",
    form: "list",
    answer: () => {
      const { region, fractions } = currencies();
      const brazil = new Set((region["BR"] ?? []).flatMap((entry) => Object.keys(entry)));
      const whole = Object.values(fractions).filter(({ _digits }) => _digits === "0");
      return [brazil.size, whole.length];
    },
  },
  {
    id: "sets-week-sunday",
    kind: "sets",
    outputs: [needing(WEEKS, "firstDay", "minDays")],
    question:
      "In how many territories does the week begin on a Sunday (sun) by firstDay, and which of these have a first week of at least 4 days by minDays? Count keys as they are. Answer the number and then the codes in alphabetical order, all in one list.",
    form: "list",
    answer: () => {
      const { firstDay, minDays } = weeks();
      const sunday = Object.keys(firstDay).filter((code) => firstDay[code] === "sun");
      return [sunday.length, ...sunday.filter((code) => minDays[code] === "4").toSorted()];
    },
  },
];
