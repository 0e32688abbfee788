import { type Random, randomOf } from "../../random.js";
import type { TaskOutput } from "../task.js";

const START = Date.UTC(2026, 2, 14, 6, 0, 0);
const LINES = 4_000;

interface Request {
  readonly at: Date;
  readonly ip: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly bytes: number;
  readonly ms: number;
}

const PATHS = ["/", "/login", "/api/orders", "/api/orders/{}", "/api/users/{}", "/static/app.js"];

/** Requests of a morning, in the order of time. */
function requests(seed: number): Request[] {
  const random = randomOf(seed);
  const addresses = Array.from(
    { length: 60 },
    () => `10.${random.below(4)}.${random.below(250)}.${1 + random.below(250)}`,
  );
  let at = START;
  return Array.from({ length: LINES }, () => {
    at += random.below(4_000);
    const path = random.pick(PATHS).replace("{}", String(1_000 + random.below(400)));
    const isFailing = path.startsWith("/api/orders/") && random.below(12) === 0;
    const status = isFailing
      ? random.pick([500, 502, 503])
      : random.pick([200, 200, 200, 200, 304, 404]);
    return {
      at: new Date(at),
      ip: random.pick(addresses),
      method: path === "/login" ? "POST" : "GET",
      path,
      status,
      bytes: 200 + random.below(60_000),
      ms: 3 + random.below(isFailing ? 9_000 : 700),
    };
  });
}

/** As web servers write it. */
function accessLine({ at, ip, method, path, status, bytes }: Request): string {
  const [day = "", time = ""] = at.toISOString().slice(0, 19).split("T");
  const [year, , date] = day.split("-");
  return `${ip} - - [${date}/Mar/${year}:${time} +0000] "${method} ${path} HTTP/1.1" ${status} ${bytes} "-" "Mozilla/5.0"`;
}

const MODULES = ["billing", "mailer", "search", "scheduler", "auth"];
const MESSAGES: readonly ((random: Random) => readonly [string, string])[] = [
  (random) => ["INFO", `job ${random.hex(8)} done in ${random.below(900)} ms`],
  (random) => ["INFO", `user ${1_000 + random.below(300)} signed in`],
  (random) => ["DEBUG", `cache hit for key item:${random.below(5_000)}`],
  (random) => [
    "WARN",
    `retry ${1 + random.below(4)} of 5 for queue ${random.pick(["mail", "invoice"])}`,
  ],
  (random) => [
    "ERROR",
    `timeout after ${random.pick([5, 10, 30])} s calling ${random.pick(["ledger", "stripe", "vies"])}`,
  ],
];

/** One line an event, some errors followed by the frames of a stack. */
function serviceLines(seed: number): string[] {
  const random = randomOf(seed);
  let at = START;
  return Array.from({ length: LINES }, () => {
    at += random.below(9_000);
    const kind = random.below(100);
    const make = MESSAGES[kind < 45 ? 0 : kind < 65 ? 1 : kind < 85 ? 2 : kind < 95 ? 3 : 4];
    const [level, message] = make?.(random) ?? ["INFO", ""];
    const line = `${new Date(at).toISOString()} ${level.padEnd(5)} [${random.pick(MODULES)}] ${message}`;
    if (level !== "ERROR" || random.below(3) > 0) return [line];
    return [
      line,
      "    at Client.request (/srv/lib/client.js:88:13)",
      `    at Job.run (/srv/jobs/job.js:${random.below(300)}:7)`,
    ];
  }).flat();
}

/** One JSON object a line, deeper than a table. */
function eventLines(seed: number): string[] {
  return requests(seed).map(({ at, ip, method, path, status, ms }) =>
    JSON.stringify({
      ts: at.toISOString(),
      level: status >= 500 ? "error" : "info",
      http: { method, path, status },
      client: { ip },
      duration_ms: ms,
    }),
  );
}

/** As the system's own log has it: no year, the process in brackets. */
function systemLines(seed: number): string[] {
  const random = randomOf(seed);
  let at = START;
  return Array.from({ length: 1_500 }, () => {
    at += random.below(20_000);
    const time = new Date(at).toISOString().slice(11, 19);
    const isFailure = random.below(9) === 0;
    const user = random.pick(["root", "admin", "deploy", "git", "oracle", "test"]);
    const from = `203.0.113.${random.below(24)}`;
    const text = isFailure
      ? `sshd[${2_000 + random.below(900)}]: Failed password for invalid user ${user} from ${from} port ${40_000 + random.below(9_000)} ssh2`
      : random.pick([
          `CRON[${3_000 + random.below(900)}]: (root) CMD (run-parts /etc/cron.hourly)`,
          `systemd[1]: Started session-${random.below(400)}.scope - Session of user deploy.`,
          `kernel: [${random.below(90_000)}.${random.below(999)}] eth0: link up`,
        ]);
    return `Mar 14 ${time} web-1 ${text}`;
  });
}

function log(tool: string, description: string, lines: () => readonly string[]): TaskOutput {
  let text: string | undefined;
  return { tool, description, load: () => (text ??= `${lines().join("\n")}\n`) };
}

export const ACCESS_LOG: TaskOutput = log(
  "get_access_log",
  "Returns the access log of the web server.",
  () => requests(7).map(accessLine),
);
/** The same requests as the servers behind one address have them, each in a log of its own. */
export const SERVER_LOGS: readonly TaskOutput[] = Array.from({ length: 17 }, (_, server) =>
  log(`get_log_of_web_${server}`, `Returns the access log of the web server ${server}.`, () =>
    requests(7)
      .filter((_request, at) => at % 17 === server)
      .map(accessLine),
  ),
);
export const SERVICE_LOG: TaskOutput = log(
  "get_service_log",
  "Returns the log of the background services.",
  () => serviceLines(11),
);
export const EVENT_LOG: TaskOutput = log(
  "get_request_events",
  "Returns requests as one JSON object a line.",
  () => eventLines(13),
);
export const SYSTEM_LOG: TaskOutput = log(
  "get_system_log",
  "Returns the system log of web-1.",
  () => systemLines(19),
);
