import { sumBy, topEntry, topItems } from "../data/reckon.js";
import { needing, type PracticeTask } from "../task.js";
import {
  DUMP,
  FLAGS,
  flags,
  ISSUES,
  issues,
  OPENAPI,
  operations,
  orders,
  realFlags,
  TEST_REPORT,
  testCases,
  WEATHER,
  weather,
} from "./made-data.js";

/** Questions about forms of data that services have and packages do not bring: made from a seed. */
export const MADE_TASKS: readonly PracticeTask[] = [
  {
    id: "columns-coldest-hour",
    kind: "service",
    outputs: [needing(WEATHER, "hourly", "temperature_2m", "wind_speed_10m")],
    question:
      "At which time is the temperature lowest, and what is the wind speed then? Answer [time, wind speed].",
    form: "list",
    answer: () => {
      const { time, temperature, wind } = weather();
      const hours = time.map((at, index) => ({ at, index }));
      const [coldest] = topItems(hours, ({ index }) => -(temperature[index] ?? 0), 1);
      return coldest === undefined ? [] : [coldest.at, wind[coldest.index] ?? 0];
    },
  },
  {
    id: "columns-rain",
    kind: "service",
    outputs: [needing(WEATHER, "precipitation")],
    question:
      "In how many hours is the precipitation more than 2 mm, and for how many hours is it not known (null)? Answer [hours, hours].",
    form: "list",
    answer: () => {
      const { precipitation } = weather();
      return [
        precipitation.filter((amount) => amount !== null && amount > 2).length,
        precipitation.filter((amount) => amount === null).length,
      ];
    },
  },
  {
    id: "flags-owner",
    kind: "service",
    outputs: [needing(FLAGS, "enabled", "owner")],
    question: "Which owner has the most enabled flags, and how many? Answer [owner, flags].",
    form: "list",
    answer: () =>
      topEntry(
        sumBy(
          realFlags().filter(([, { enabled }]) => enabled),
          ([, { owner }]) => owner,
        ),
      ),
  },
  {
    id: "flags-odd-members",
    kind: "service",
    outputs: [needing(FLAGS, "rollout")],
    question: "Which members of flags are no flag with a rollout? Answer with their keys.",
    form: "set",
    answer: () => {
      const real = new Set(realFlags().map(([name]) => name));
      return Object.keys(flags()).filter((name) => !real.has(name));
    },
  },
  {
    id: "dump-refunded",
    kind: "service",
    outputs: [needing(DUMP, "orders")],
    question: "How many rows of the table orders have the status refunded?",
    form: "number",
    answer: () => orders().filter(({ status }) => status === "refunded").length,
  },
  {
    id: "dump-tables",
    kind: "service",
    outputs: [needing(DUMP, "customers", "orders", "coupons")],
    question:
      "How many rows do the tables customers, orders and coupons have? Answer in this order.",
    form: "list",
    answer: () => [90, orders().length, 0],
  },
  {
    id: "report-failing-suites",
    kind: "service",
    outputs: [needing(TEST_REPORT, "testsuite", "failure")],
    question: "Which test suites (their names) have at least one failure?",
    form: "set",
    answer: () => [
      ...new Set(
        testCases().flatMap(({ suite, failure }) => (failure === undefined ? [] : [suite])),
      ),
    ],
  },
  {
    id: "report-slowest-case",
    kind: "service",
    outputs: [needing(TEST_REPORT, "testcase")],
    question: "Which test case (its name) took longest?",
    form: "text",
    answer: () => topItems(testCases(), ({ seconds }) => seconds, 1)[0]?.name ?? "",
  },
  {
    id: "openapi-deprecated",
    kind: "service",
    outputs: [needing(OPENAPI, "paths")],
    question: "How many operations (a path and a method) are deprecated?",
    form: "number",
    answer: () => operations().filter(({ deprecated }) => deprecated).length,
  },
  {
    id: "openapi-deleting-plans",
    kind: "service",
    outputs: [needing(OPENAPI, "operationId", "tags")],
    question:
      "Which operationIds with the tag plans delete something (method delete) and are not deprecated?",
    form: "set",
    answer: () =>
      operations().flatMap(({ tag, method, deprecated, operationId }) =>
        tag === "plans" && method === "delete" && !deprecated ? [operationId] : [],
      ),
  },
  {
    id: "graphql-commented-author",
    kind: "service",
    outputs: [needing(ISSUES, "author", "comments")],
    question:
      "Whose issues have the most comments together, by the author's login, and how many? Answer [login, comments].",
    form: "list",
    answer: () =>
      topEntry(
        sumBy(
          issues().filter(({ author }) => author !== null),
          ({ author }) => author ?? "",
          ({ comments }) => comments,
        ),
      ),
  },
  {
    id: "graphql-bugs-without-author",
    kind: "service",
    outputs: [needing(ISSUES, "author", "labels")],
    question: "How many issues with the label bug have no author (null)?",
    form: "number",
    answer: () =>
      issues().filter(({ author, labels }) => author === null && labels.includes("bug")).length,
  },
];
