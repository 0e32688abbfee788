import { randomOf } from "../../random.js";
import type { TaskOutput } from "../task.js";

/** A value for each of so many places. */
function list<Value>(length: number, make: (index: number) => Value): Value[] {
  return Array.from({ length }, (_, index) => make(index));
}

/** Hours of weather as arrays that run in parallel, as weather services answer. */
export function weather(): {
  readonly time: readonly string[];
  readonly temperature: readonly number[];
  readonly precipitation: readonly (number | null)[];
  readonly wind: readonly number[];
} {
  const random = randomOf(11);
  const hours = list(1_440, (hour) => new Date(Date.UTC(2026, 0, 1, hour)));
  return {
    time: hours.map((hour) => hour.toISOString().slice(0, 16)),
    temperature: hours.map((_, hour) => (random.below(900) - (hour % 24 < 8 ? 400 : 100)) / 10),
    precipitation: hours.map(() =>
      random.below(40) === 0 ? null : Math.max(0, random.below(80) - 55) / 10,
    ),
    wind: hours.map(() => random.below(600) / 10),
  };
}

export const WEATHER: TaskOutput = {
  tool: "get_hourly_weather",
  description: "Returns two months of hourly weather of a place.",
  load: () => {
    const { time, temperature, precipitation, wind } = weather();
    const hourly = { time, temperature_2m: temperature, precipitation, wind_speed_10m: wind };
    const units = { temperature_2m: "°C", precipitation: "mm", wind_speed_10m: "km/h" };
    return JSON.stringify({ latitude: 52.52, longitude: 13.42, hourly_units: units, hourly });
  },
};

export interface Flag {
  readonly enabled: boolean;
  readonly rollout: number;
  readonly owner: string;
}

/** A map of feature flags by their names, some of whose members are no flags. */
export function flags(): Record<string, unknown> {
  const random = randomOf(12);
  const owners = ["checkout", "search", "growth", "identity", "platform"];
  const made = list(420, (index): [string, Flag] => [
    `${random.pick(["new", "beta", "fast", "safe"])}-${random.hex(4)}-${index}`,
    {
      enabled: random.below(3) > 0,
      rollout: random.below(101),
      owner: random.pick(owners),
    },
  ]);
  const odd: [string, unknown][] = [
    ["kill-switch", null],
    ["default-owner", "platform"],
    ["exempt-users", [17, 4_211, 90_210]],
  ];
  return Object.fromEntries([...made.slice(0, 200), ...odd, ...made.slice(200)]);
}

/** The members of the map that are flags. */
export function realFlags(): [string, Flag][] {
  return Object.entries(flags()).flatMap(([name, value]) =>
    typeof value === "object" && value !== null && "rollout" in value
      ? [[name, value as Flag] as [string, Flag]]
      : [],
  );
}

export const FLAGS: TaskOutput = {
  tool: "list_feature_flags",
  description: "Returns all feature flags by their names.",
  load: () => JSON.stringify({ environment: "production", flags: flags() }),
};

export interface Order {
  readonly id: number;
  readonly customer: number;
  readonly status: string;
  readonly cents: number;
}

/** The rows of the table `orders` of the dump. */
export function orders(): Order[] {
  const random = randomOf(13);
  return list(1_500, (index) => ({
    id: index + 1,
    customer: 1 + random.below(90),
    status: random.pick(["paid", "paid", "paid", "shipped", "refunded", "open"]),
    cents: 500 + random.below(90_000),
  }));
}

export const DUMP: TaskOutput = {
  tool: "dump_database",
  description: "Returns a dump of the shop's database, as SQL.",
  load: () => {
    const random = randomOf(14);
    const customers = list(
      90,
      (id) => `(${id + 1},'${random.hex(6)}@example.com','2025-0${1 + random.below(9)}-11')`,
    );
    const rows = orders().map(
      ({ id, customer, status, cents }) => `(${id},${customer},'${status}',${cents})`,
    );
    return [
      "-- Dump of the shop\nSET NAMES utf8mb4;",
      "CREATE TABLE `customers` (\n  `id` int NOT NULL,\n  `email` varchar(255) NOT NULL,\n  `since` date DEFAULT NULL,\n  PRIMARY KEY (`id`)\n);",
      `INSERT INTO \`customers\` VALUES\n${customers.join(",\n")};`,
      "CREATE TABLE `orders` (\n  `id` int NOT NULL,\n  `customer_id` int NOT NULL,\n  `status` varchar(16) NOT NULL,\n  `total_cents` int NOT NULL,\n  PRIMARY KEY (`id`)\n);",
      `INSERT INTO \`orders\` VALUES\n${rows.join(",\n")};`,
      "CREATE TABLE `coupons` (\n  `code` varchar(16) NOT NULL,\n  `percent` int NOT NULL\n);\n-- Dump completed\n",
    ].join("\n");
  },
};

export interface TestCase {
  readonly suite: string;
  readonly name: string;
  readonly seconds: number;
  readonly failure: string | undefined;
}

/** The cases of a test run. */
export function testCases(): TestCase[] {
  const random = randomOf(15);
  const suites = list(
    14,
    (index) => `com.shop.${random.pick(["cart", "billing", "search", "auth"])}.Suite${index + 1}`,
  );
  return list(900, (index) => ({
    suite: suites[index % suites.length] ?? "",
    name: `case_${index + 1}_${random.hex(4)}`,
    seconds: random.below(4_000_000) / 1_000_000,
    failure:
      index % suites.length < 5 && random.below(30) === 0
        ? random.pick(["expected 200 but was 500", "timed out after 30 s", "no such element"])
        : undefined,
  }));
}

export const TEST_REPORT: TaskOutput = {
  tool: "run_tests",
  description: "Runs the tests and returns their report, as JUnit XML.",
  load: () => {
    const cases = testCases();
    const suites = [...new Set(cases.map(({ suite }) => suite))].map((suite) => {
      const own = cases.filter((one) => one.suite === suite);
      const lines = own.map(({ name, seconds, failure }) =>
        failure === undefined
          ? `    <testcase classname="${suite}" name="${name}" time="${seconds}"/>`
          : `    <testcase classname="${suite}" name="${name}" time="${seconds}">\n      <failure message="${failure}" type="AssertionError">at ${suite}.${name}</failure>\n    </testcase>`,
      );
      const failures = own.filter(({ failure }) => failure !== undefined).length;
      return `  <testsuite name="${suite}" tests="${own.length}" failures="${failures}">\n${lines.join("\n")}\n  </testsuite>`;
    });
    return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="shop" tests="${cases.length}">\n${suites.join("\n")}\n</testsuites>\n`;
  },
};

export interface Operation {
  readonly path: string;
  readonly method: string;
  readonly operationId: string;
  readonly tag: string;
  readonly deprecated: boolean;
}

/** The operations of an interface. */
export function operations(): Operation[] {
  const random = randomOf(16);
  const paths = list(
    120,
    (index) =>
      `/v1/${random.pick(["invoices", "customers", "plans", "events"])}/${random.hex(3)}${index}`,
  );
  return paths.flatMap((path) =>
    ["get", "post", "delete"]
      .filter((method) => method === "get" || random.below(2) === 0)
      .map((method) => ({
        path,
        method,
        operationId: `${method}_${random.hex(6)}`,
        tag: path.split("/")[2] ?? "",
        deprecated: random.below(9) === 0,
      })),
  );
}

export const OPENAPI: TaskOutput = {
  tool: "get_openapi",
  description: "Returns the OpenAPI document of the billing service.",
  load: () => {
    const paths: Record<string, Record<string, unknown>> = {};
    for (const { path, method, operationId, tag, deprecated } of operations()) {
      (paths[path] ??= {})[method] = {
        operationId,
        tags: [tag],
        ...(deprecated && { deprecated: true }),
        responses: { 200: { description: "OK" }, 404: { description: "Not found" } },
      };
    }
    const schemas = Object.fromEntries(
      list(40, (index) => [
        `Model${index}`,
        { type: "object", required: ["id"], properties: { id: { type: "string" } } },
      ]),
    );
    return JSON.stringify(
      {
        openapi: "3.1.0",
        info: { title: "Billing", version: "4.2.0" },
        paths,
        components: { schemas },
      },
      null,
      2,
    );
  },
};

export interface Issue {
  readonly number: number;
  readonly author: string | null;
  readonly labels: readonly string[];
  readonly comments: number;
}

/** The issues of a repository. */
export function issues(): Issue[] {
  const random = randomOf(17);
  const names = ["ada", "grace", "alan", "edsger", "barbara", "donald"];
  return list(260, (index) => ({
    number: 9_000 - index,
    author: random.below(14) === 0 ? null : random.pick(names),
    labels: ["bug", "docs", "build", "question"].filter(() => random.below(3) === 0),
    comments: random.below(60),
  }));
}

export const ISSUES: TaskOutput = {
  tool: "query_graphql",
  description: "Returns the answer to a GraphQL query for the open issues of a repository.",
  load: () => {
    const edges = issues().map(({ number, author, labels, comments }) => ({
      cursor: `c${number}`,
      node: {
        number,
        author: author === null ? null : { login: author },
        labels: { nodes: labels.map((name) => ({ name })) },
        comments: { totalCount: comments },
      },
    }));
    const pageInfo = { hasNextPage: true, endCursor: "c8741" };
    return JSON.stringify({
      data: { repository: { issues: { totalCount: 1_204, pageInfo, edges } } },
    });
  },
};
