import { median, sumBy, topItems, topEntry, topKey } from "../data/reckon.js";
import { needing, type PracticeTask, type TaskOutput } from "../task.js";
import { BUDGET, MATCHES, MOVIES, NODE_RELEASES, PENGUINS } from "./json-data.js";

type Row = Readonly<Record<string, string | number | boolean | null>>;

const rowsOf = (output: TaskOutput): readonly Row[] => JSON.parse(output.load()) as Row[];

/** Questions about one flat set of records in JSON. */
export const RECORD_TASKS: readonly PracticeTask[] = [
  {
    id: "records-director-gross",
    kind: "records",
    outputs: [needing(MOVIES, "Director", "Worldwide Gross", "Release Date")],
    question:
      "Which director's films released in the years 1990 to 1999 have together the highest worldwide gross? Leave out films without a director.",
    form: "text",
    answer: () => {
      const nineties = rowsOf(MOVIES).filter(
        (film) => film["Director"] !== null && /199\d$/.test(String(film["Release Date"])),
      );
      return topKey(
        sumBy(
          nineties,
          (film) => String(film["Director"]),
          (film) => Number(film["Worldwide Gross"]),
        ),
      );
    },
  },
  {
    id: "records-short-comedies",
    kind: "records",
    outputs: [needing(MOVIES, "Major Genre", "Running Time min", "IMDB Rating", "Title")],
    question:
      "How many films of the major genre Comedy run less than 90 minutes, and which of them has the highest IMDB rating? Answer [number, title].",
    form: "list",
    answer: () => {
      const short = rowsOf(MOVIES).filter(
        (film) =>
          film["Major Genre"] === "Comedy" &&
          film["Running Time min"] !== null &&
          Number(film["Running Time min"]) < 90,
      );
      const rated = short.filter((film) => film["IMDB Rating"] !== null);
      const [best] = topItems(rated, (film) => Number(film["IMDB Rating"]), 1);
      return [short.length, String(best?.["Title"])];
    },
  },
  {
    id: "records-receipts-1995",
    kind: "records",
    outputs: [needing(BUDGET, "1962..2020", "Source category name")],
    question:
      "Which source category brought the highest receipts in 1995, and how much in thousands of dollars? Answer [category, amount].",
    form: "list",
    answer: () => {
      const totals = sumBy(
        rowsOf(BUDGET),
        (row) => String(row["Source category name"]),
        (row) => Number(String(row["1995"]).replaceAll(",", "")),
      );
      return topEntry(totals);
    },
  },
  {
    id: "records-away-wins",
    kind: "records",
    outputs: [needing(MATCHES, "division", "home_score", "away_score")],
    question:
      "In which division was the share of matches that the away team won highest? Answer [division, share in percent to one decimal].",
    form: "list",
    answer: () => {
      const matches = rowsOf(MATCHES);
      const played = sumBy(matches, ({ division }) => String(division));
      const won = sumBy(
        matches.filter(({ home_score, away_score }) => Number(away_score) > Number(home_score)),
        ({ division }) => String(division),
      );
      const shares = new Map(
        [...played].map(([division, count]) => [division, (won.get(division) ?? 0) / count]),
      );
      const top = topKey(shares);
      return [top, Math.round(1000 * (shares.get(top) ?? 0)) / 10];
    },
  },
  {
    id: "records-penguin-mass",
    kind: "records",
    outputs: [needing(PENGUINS, "Species", "Sex", "Body Mass (g)")],
    question:
      "What is the median body mass in grams of female penguins of each species, by the species' name in alphabetical order?",
    form: "list",
    answer: () => {
      const females = rowsOf(PENGUINS).filter((row) => row["Sex"] === "FEMALE");
      const species = [...new Set(females.map((row) => String(row["Species"])))].toSorted();
      return species.map((name) =>
        median(
          females
            .filter((row) => row["Species"] === name && row["Body Mass (g)"] !== null)
            .map((row) => Number(row["Body Mass (g)"])),
        ),
      );
    },
  },
  {
    id: "records-security-releases",
    kind: "records",
    outputs: [needing(NODE_RELEASES, "version", "security", "date")],
    question:
      "How many releases of Node.js were security releases in the years 2018 to 2021, and how many days lie between the first and the last of them? Answer [number, days].",
    form: "list",
    answer: () => {
      const days = rowsOf(NODE_RELEASES)
        .filter(({ security, date }) => security === true && /^20(18|19|20|21)/.test(String(date)))
        .map(({ date }) => Date.parse(String(date)) / 86_400_000);
      return [days.length, Math.max(...days) - Math.min(...days)];
    },
  },
  {
    id: "records-most-goals",
    kind: "records",
    outputs: [needing(MATCHES, "home_team", "away_team", "home_score", "away_score")],
    question:
      "Which team scored the most goals in all its matches, at home and away together, and how many? Answer [team, goals].",
    form: "list",
    answer: () => {
      const goals = rowsOf(MATCHES).flatMap((match) => [
        { team: String(match["home_team"]), scored: Number(match["home_score"]) },
        { team: String(match["away_team"]), scored: Number(match["away_score"]) },
      ]);
      const totals = sumBy(
        goals,
        ({ team }) => team,
        ({ scored }) => scored,
      );
      return topEntry(totals);
    },
  },
];
