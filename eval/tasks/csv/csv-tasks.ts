import { csvRows } from "../data/csv-rows.js";
import { sumBy, topItems, topEntry, topKey } from "../data/reckon.js";
import { needing, type PracticeTask } from "../task.js";
import {
  AIRPORTS,
  BIRDSTRIKES,
  DISASTERS,
  ELEMENTS,
  EMPLOYMENT,
  SEATTLE,
  STOCKS,
  ZIP_CODES,
} from "./csv-data.js";

const rows = { of: (output: { readonly load: () => string }) => csvRows(output.load()) };

/** Questions about one table in CSV. */
export const CSV_TASKS: readonly PracticeTask[] = [
  {
    id: "csv-costly-species",
    kind: "csv",
    outputs: [needing(BIRDSTRIKES, "Wildlife Species", "Cost Total $")],
    question:
      "Which wildlife species has caused the highest total cost (Cost Total $) over all strikes? Leave out species whose name begins with Unknown.",
    form: "text",
    answer: () => {
      const known = rows
        .of(BIRDSTRIKES)
        .filter((row) => row["Wildlife Species"]?.startsWith("Unknown") === false);
      return topKey(
        sumBy(
          known,
          (row) => row["Wildlife Species"] ?? "",
          (row) => Number(row["Cost Total $"]),
        ),
      );
    },
  },
  {
    id: "csv-night-damage",
    kind: "csv",
    outputs: [needing(BIRDSTRIKES, "Origin State", "Time of day", "Effect Amount of damage")],
    question:
      "How many strikes with origin state Texas happened at night and did some damage (the amount of damage is not None)?",
    form: "number",
    answer: () =>
      rows
        .of(BIRDSTRIKES)
        .filter(
          (row) =>
            row["Origin State"] === "Texas" &&
            row["Time of day"] === "Night" &&
            row["Effect Amount of damage"] !== "None",
        ).length,
  },
  {
    id: "csv-northern-airports",
    kind: "csv",
    outputs: [needing(AIRPORTS, "latitude", "state", "name")],
    question:
      "How many airports north of 65 degrees are there, and what is the name of the northernmost? Answer [number, name].",
    form: "list",
    answer: () => {
      const north = rows.of(AIRPORTS).filter(({ latitude }) => Number(latitude) > 65);
      const [first] = topItems(north, ({ latitude }) => Number(latitude), 1);
      return [north.length, first?.["name"] ?? ""];
    },
  },
  {
    id: "csv-nonfarm-low",
    kind: "csv",
    outputs: [needing(EMPLOYMENT, "month", "nonfarm")],
    question: "In which month was nonfarm employment (nonfarm) lowest? Answer as YYYY-MM.",
    form: "text",
    answer: () => {
      const [low] = topItems(rows.of(EMPLOYMENT), ({ nonfarm }) => -Number(nonfarm), 1);
      return (low?.["month"] ?? "").slice(0, 7);
    },
  },
  {
    id: "csv-deadliest-year",
    kind: "csv",
    outputs: [needing(DISASTERS, "Entity", "Year", "Deaths")],
    question:
      "Leaving out the entity that sums all up, which kind of disaster killed the most people in a single year from 1950 on, and in which year? Answer [entity, year].",
    form: "list",
    answer: () => {
      const later = rows
        .of(DISASTERS)
        .filter(({ Entity, Year }) => Entity !== "All natural disasters" && Number(Year) >= 1950);
      const [worst] = topItems(later, ({ Deaths }) => Number(Deaths), 1);
      return [worst?.["Entity"] ?? "", Number(worst?.["Year"])];
    },
  },
  {
    id: "csv-rainy-run",
    kind: "csv",
    outputs: [needing(SEATTLE, "date", "precipitation")],
    question: "What is the longest run of days on each of which it rained (precipitation above 0)?",
    form: "number",
    answer: () => {
      let [run, longest] = [0, 0];
      for (const { precipitation } of rows.of(SEATTLE)) {
        run = Number(precipitation) > 0 ? run + 1 : 0;
        longest = Math.max(longest, run);
      }
      return longest;
    },
  },
  {
    id: "csv-stock-growth",
    kind: "csv",
    outputs: [needing(STOCKS, "symbol", "date", "price")],
    question:
      "Which stock's price grew by the largest factor from the first of January 2005 to the first of January 2010, and by which factor, to two decimals? Answer [symbol, factor].",
    form: "list",
    answer: () => {
      const prices = rows.of(STOCKS);
      const priceOf = (symbol: string, day: string): number =>
        Number(prices.find((row) => row["symbol"] === symbol && row["date"] === day)?.["price"]);
      const factors = new Map(
        [...new Set(prices.map(({ symbol = "" }) => symbol))].map((symbol) => [
          symbol,
          priceOf(symbol, "Jan 1 2010") / priceOf(symbol, "Jan 1 2005"),
        ]),
      );
      const best = topKey(factors);
      return [best, Math.round(100 * (factors.get(best) ?? 0)) / 100];
    },
  },
  {
    id: "csv-zip-county",
    kind: "csv",
    outputs: [needing(ZIP_CODES, "county", "state", "zip_code")],
    question:
      "Which county of Texas (state TX) has the most ZIP codes, and how many? Answer [county, number].",
    form: "list",
    answer: () => {
      const counties = sumBy(
        rows.of(ZIP_CODES).filter(({ state }) => state === "TX"),
        ({ county = "" }) => county,
      );
      return topEntry(counties);
    },
  },
  {
    id: "csv-dense-metals",
    kind: "csv",
    outputs: [needing(ELEMENTS, "symbol", "density", "yearDiscovered")],
    question:
      "Which five elements discovered in 1900 or later (yearDiscovered) have the highest density? Give their symbols, densest first.",
    form: "list",
    answer: () => {
      const late = rows
        .of(ELEMENTS)
        .filter(({ yearDiscovered }) => Number(yearDiscovered) >= 1900)
        .filter(({ density }) => density !== "");
      return topItems(late, ({ density }) => Number(density), 5).map(({ symbol = "" }) => symbol);
    },
  },
];
