import { sumBy, topEntry, topKey } from "../data/reckon.js";
import { needing, type PracticeTask, type TaskOutput } from "../task.js";
import { ACCESS_LOG, EVENT_LOG, SERVICE_LOG, SYSTEM_LOG } from "./logs.js";

const linesOf = (output: TaskOutput): string[] => output.load().trimEnd().split("\n");

interface Event {
  readonly http: { readonly path: string; readonly status: number };
  readonly client: { readonly ip: string };
  readonly duration_ms: number;
}

/** Questions about logs. */
export const LOG_TASKS: readonly PracticeTask[] = [
  {
    id: "log-failing-clients",
    kind: "log",
    outputs: [needing(ACCESS_LOG, "HTTP/1.1")],
    question:
      "How many different client addresses got at least one answer with a status of 500 or above?",
    form: "number",
    answer: () =>
      new Set(
        linesOf(ACCESS_LOG)
          .filter((line) => /" 5\d\d \d+ /.test(line))
          .map((line) => line.split(" ")[0]),
      ).size,
  },
  {
    id: "log-most-bytes",
    kind: "log",
    outputs: [needing(ACCESS_LOG, "HTTP/1.1")],
    question:
      "Which client address was sent the most bytes in sum, and how many? Answer [address, bytes].",
    form: "list",
    answer: () => {
      const sent = sumBy(
        linesOf(ACCESS_LOG).map((line) => line.split(" ")),
        ([address = ""]) => address,
        (words) => Number(words[9]),
      );
      return topEntry(sent);
    },
  },
  {
    id: "log-error-callee",
    kind: "log",
    outputs: [needing(SERVICE_LOG, "ERROR")],
    question:
      "Errors say which service was called. How many errors are there for each called service? Give the services in alphabetical order, each followed by its number: [service, number, service, number, …].",
    form: "list",
    answer: () => {
      const errors = linesOf(SERVICE_LOG).filter((line) => line.includes(" ERROR "));
      const counts = sumBy(errors, (line) => line.split(" ").at(-1) ?? "");
      return [...counts].toSorted(([one], [other]) => one.localeCompare(other)).flat();
    },
  },
  {
    id: "log-busiest-hour",
    kind: "log",
    outputs: [needing(SERVICE_LOG, "WARN")],
    question:
      "In which hour of the day (00 to 23, UTC) were there the most lines of level WARN, and how many? Answer [hour as a number, lines].",
    form: "list",
    answer: () => {
      const warnings = linesOf(SERVICE_LOG).filter((line) => line.includes(" WARN "));
      const hours = sumBy(warnings, (line) => line.slice(11, 13));
      const top = topKey(hours);
      return [Number(top), hours.get(top) ?? 0];
    },
  },
  {
    id: "log-slow-orders",
    kind: "log",
    outputs: [needing(EVENT_LOG, "http", "status", "duration_ms", "client")],
    question:
      "Of requests with status 500 or above, what is the path of the slowest one, and how many of them took more than 5 seconds? Answer [path, number].",
    form: "list",
    answer: () => {
      const failed = linesOf(EVENT_LOG)
        .map((line) => JSON.parse(line) as Event)
        .filter(({ http }) => http.status >= 500);
      const slowest = failed.toSorted((one, other) => other.duration_ms - one.duration_ms)[0];
      const slow = failed.filter(({ duration_ms }) => duration_ms > 5_000);
      return [slowest?.http.path ?? "", slow.length];
    },
  },
  {
    id: "log-break-ins",
    kind: "log",
    outputs: [needing(SYSTEM_LOG, "Failed password")],
    question:
      "Which user name was tried most in failed logins, and from how many different addresses did failed logins come? Answer [user, addresses].",
    form: "list",
    answer: () => {
      const failed = linesOf(SYSTEM_LOG).flatMap((line) => {
        const [, user = "", address = ""] = /invalid user (\w+) from (\S+)/.exec(line) ?? [];
        return user === "" ? [] : [{ user, address }];
      });
      const users = sumBy(failed, ({ user }) => user);
      return [topKey(users), new Set(failed.map(({ address }) => address)).size];
    },
  },
];
