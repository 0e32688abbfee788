import { needing, type PracticeTask, type TaskOutput } from "../task.js";
import { ACCESS_LOG, EVENT_LOG, SERVER_LOGS } from "../text/logs.js";

interface Visit {
  readonly address: string;
  readonly atMs: number;
  readonly status: number;
}

const MINUTE_MS = 60_000;
const LINE = /^(\S+) - - \[(\d+)\/Mar\/(\d+):(\S+) \+0000\] "\w+ \S+ HTTP\/1\.1" (\d+)/;

function visits(log: TaskOutput = ACCESS_LOG): Visit[] {
  return log
    .load()
    .trimEnd()
    .split("\n")
    .map((line) => {
      const [, address = "", day = "", year = "", time = "", status = ""] = LINE.exec(line) ?? [];
      const atMs = Date.parse(`${year}-03-${day}T${time}Z`);
      return { address, atMs, status: Number(status) };
    });
}

/** The requests that a limiter lets pass: at most `most` of an address within a minute, those refused not counted. */
function passed(most: number): Visit[] {
  const recent = new Map<string, number[]>();
  return visits().filter(({ address, atMs }) => {
    const times = (recent.get(address) ?? []).filter((time) => atMs - time < MINUTE_MS);
    const isLet = times.length < most;
    recent.set(address, isLet ? [...times, atMs] : times);
    return isLet;
  });
}

interface Event {
  readonly ts: string;
  readonly http: { readonly status: number };
}

/** Questions whose answer goes from one record to the next, over text and records. */
export const SEQUENCE_TASKS: readonly PracticeTask[] = [
  {
    id: "sequence-sessions",
    kind: "log",
    outputs: [needing(ACCESS_LOG, "HTTP/1.1")],
    question:
      "A session of a client address ends when the address asks nothing for more than ten minutes. How many sessions are there, and how many requests has the longest? Answer [sessions, requests].",
    form: "list",
    answer: () => {
      const open = new Map<string, { atMs: number; count: number }>();
      let sessions = 0;
      let longest = 0;
      for (const { address, atMs } of visits()) {
        const before = open.get(address);
        const isNew = before === undefined || atMs - before.atMs > 10 * MINUTE_MS;
        if (isNew) sessions += 1;
        const count = isNew ? 1 : before.count + 1;
        open.set(address, { atMs, count });
        longest = Math.max(longest, count);
      }
      return [sessions, longest];
    },
  },
  {
    id: "sequence-limiter",
    kind: "log",
    outputs: [needing(ACCESS_LOG, "HTTP/1.1")],
    question:
      "A limiter lets an address make one request within a minute (60 seconds, counted from the requests that it let pass; refused ones do not count). How many requests of the access log would it have refused?",
    form: "number",
    answer: () => visits().length - passed(1).length,
  },
  {
    id: "sequence-failures-before",
    kind: "join",
    outputs: [needing(ACCESS_LOG, "HTTP/1.1"), needing(EVENT_LOG, "ts", "http")],
    question:
      "How many requests of the access log with a status of 500 or above have a request event with a status of 500 or above at the same time (ts) or in the 30 seconds before?",
    form: "number",
    answer: () => {
      const times = EVENT_LOG.load()
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as Event)
        .filter(({ http }) => http.status >= 500)
        .map(({ ts }) => Date.parse(ts));
      const isNear = ({ atMs }: Visit): boolean =>
        times.some((time) => time <= atMs && atMs - time <= MINUTE_MS / 2);
      return visits().filter((visit) => visit.status >= 500 && isNear(visit)).length;
    },
  },
  {
    id: "sequence-pauses",
    kind: "log",
    outputs: SERVER_LOGS.map((log) => needing(log, "HTTP/1.1")),
    question:
      "Which of the 17 web servers (0 to 16) had the longest time between two requests that follow each other in its own log, and how many seconds was it? Answer [server, seconds].",
    form: "list",
    answer: () => {
      const pauses = SERVER_LOGS.map((log) => {
        const times = visits(log).map(({ atMs }) => atMs);
        return Math.max(...times.slice(1).map((atMs, index) => atMs - (times[index] ?? atMs)));
      });
      const longest = Math.max(...pauses);
      return [pauses.indexOf(longest), longest / 1000];
    },
  },
];
