import { csvRows } from "../data/csv-rows.js";
import { packageFile } from "../data/package-file.js";
import { sumBy, topEntry, topKey } from "../data/reckon.js";
import { AIRPORTS, BIRDSTRIKES, vega } from "../csv/csv-data.js";
import { CURRENCIES, NODE_RELEASES, TERRITORIES } from "../json/json-data.js";
import { needing, type PracticeTask, type TaskOutput } from "../task.js";

const FLIGHTS = vega(
  "list_flights",
  "Returns flights with their delay in minutes.",
  "flights-5k.json",
);
const CAPITALS = vega(
  "list_capitals",
  "Returns the capitals of the states.",
  "us-state-capitals.json",
);
const STATES = vega(
  "get_state_figures",
  "Returns population, share of engineers and hurricanes of each state as CSV.",
  "population_engineers_hurricanes.csv",
);
const INCOMES = vega(
  "get_incomes",
  "Returns income, life expectancy, population and region of countries as CSV.",
  "gapminder-health-income.csv",
);
const FERTILITY = vega(
  "get_fertility",
  "Returns figures of countries every five years.",
  "gapminder.json",
);
const SCHEDULE: TaskOutput = {
  tool: "get_release_schedule",
  description: "Returns the life of each line of Node.js.",
  load: () => packageFile("node-releases/data/release-schedule/release-schedule.json"),
};

type Row = Readonly<Record<string, string | number | boolean>>;
const rowsOf = (output: TaskOutput): readonly Row[] => JSON.parse(output.load()) as Row[];

interface TerritoryFile {
  readonly supplemental: {
    readonly territoryInfo: Readonly<Record<string, { readonly _population: string }>>;
  };
}

interface CurrencyFile {
  readonly supplemental: {
    readonly currencyData: {
      readonly region: Readonly<Record<string, readonly Readonly<Record<string, Usage>>[]>>;
    };
  };
}

interface Usage {
  readonly _to?: string;
  readonly _tender?: string;
}

/** Questions that need two or three outputs together. */
export const JOIN_TASKS: readonly PracticeTask[] = [
  {
    id: "join-delayed-states",
    kind: "join",
    outputs: [needing(FLIGHTS, "origin", "delay"), needing(AIRPORTS, "iata", "state")],
    question:
      "From airports of which state (code) did the most flights leave that were delayed by more than an hour, and how many? Answer [state, flights].",
    form: "list",
    answer: () => {
      const states = new Map(
        csvRows(AIRPORTS.load()).map(({ iata = "", state = "" }) => [iata, state]),
      );
      const late = rowsOf(FLIGHTS).filter(({ delay }) => Number(delay) > 60);
      const counts = sumBy(late, ({ origin }) => states.get(String(origin)) ?? "");
      return topEntry(counts);
    },
  },
  {
    id: "join-euro-people",
    kind: "join",
    outputs: [needing(TERRITORIES, "_population"), needing(CURRENCIES, "region", "_to", "_tender")],
    question:
      "How many people live in territories that use the euro (EUR) today: an entry EUR in the territory's history without an end (_to) and not marked as no tender (_tender)? Add up _population.",
    form: "number",
    answer: () => {
      const { territoryInfo } = (JSON.parse(TERRITORIES.load()) as TerritoryFile).supplemental;
      const { region } = (JSON.parse(CURRENCIES.load()) as CurrencyFile).supplemental.currencyData;
      const uses = (entry: Readonly<Record<string, Usage>>): boolean => {
        const { EUR: euro } = entry;
        return euro !== undefined && euro._to === undefined && euro._tender !== "false";
      };
      return Object.entries(region)
        .filter(([, entries]) => entries.some(uses))
        .reduce((sum, [code]) => sum + Number(territoryInfo[code]?._population ?? 0), 0);
    },
  },
  {
    id: "join-strikes-per-person",
    kind: "join",
    outputs: [
      needing(BIRDSTRIKES, "Origin State"),
      needing(STATES, "state", "population", "hurricanes"),
      needing(CAPITALS, "state", "city"),
    ],
    question:
      "Of the states with at least 10 hurricanes, which has the most bird strikes (by origin state) for each inhabitant, and what is its capital? Answer [state, capital].",
    form: "list",
    answer: () => {
      const strikes = sumBy(csvRows(BIRDSTRIKES.load()), (row) => row["Origin State"] ?? "");
      const rates = new Map(
        csvRows(STATES.load())
          .filter(({ hurricanes }) => Number(hurricanes) >= 10)
          .map(({ state = "", population }) => [
            state,
            (strikes.get(state) ?? 0) / Number(population),
          ]),
      );
      const top = topKey(rates);
      const capital = rowsOf(CAPITALS).find(({ state }) => state === top);
      return [top, String(capital?.["city"])];
    },
  },
  {
    id: "join-codename-security",
    kind: "join",
    outputs: [needing(NODE_RELEASES, "version", "security"), needing(SCHEDULE, "codename")],
    question:
      "Which line of Node.js with a codename has the most security releases? Answer [codename, security releases].",
    form: "list",
    answer: () => {
      const lines = JSON.parse(SCHEDULE.load()) as Record<string, { readonly codename?: string }>;
      const secure = rowsOf(NODE_RELEASES).filter(({ security }) => security === true);
      const counts = sumBy(
        secure.filter(({ version }) => lines[`v${String(version).split(".")[0]}`]?.codename),
        ({ version }) => lines[`v${String(version).split(".")[0]}`]?.codename ?? "",
      );
      return topEntry(counts);
    },
  },
  {
    id: "join-fertile-region",
    kind: "join",
    outputs: [
      needing(INCOMES, "country", "region"),
      needing(FERTILITY, "country", "year", "fertility"),
    ],
    question:
      "Which region (of the incomes) has the highest mean fertility in the year 2005, over the countries that both outputs name alike? Answer [region, mean to two decimals].",
    form: "list",
    answer: () => {
      const regions = new Map(
        csvRows(INCOMES.load()).map(({ country = "", region = "" }) => [country, region]),
      );
      const rows = rowsOf(FERTILITY).filter(
        ({ year, country }) => year === 2005 && regions.has(String(country)),
      );
      const of = ({ country }: Row): string => regions.get(String(country)) ?? "";
      const totals = sumBy(rows, of, ({ fertility }) => Number(fertility));
      const counts = sumBy(rows, of);
      const means = new Map(
        [...totals].map(([region, sum]) => [region, sum / (counts.get(region) ?? 1)]),
      );
      const top = topKey(means);
      return [top, Math.round(100 * (means.get(top) ?? 0)) / 100];
    },
  },
];
