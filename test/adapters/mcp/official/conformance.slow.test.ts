import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import { caseOfTheDay } from "../../../of-the-day.js";
import { httpFront } from "./http-front.js";
import {
  type Checks,
  CLIENT,
  conformance,
  EVERYTHING,
  everythingOverHttp,
  MAIN,
} from "./run-official.js";

vi.setConfig({ testTimeout: 240_000 });

const PROGRAM = [process.execPath, EVERYTHING, "stdio"];
const proxyOf = (...args: readonly string[]): string[] => [MAIN, "proxy", ...args];

/** Every server scenario, the pending ones too, of a program behind HTTP. */
async function checksOf(args: readonly string[]): Promise<Checks> {
  const front = await httpFront(args);
  try {
    return await conformance("server", "--url", front.url, "--suite", "all");
  } finally {
    await front.close();
  }
}

const failuresOf = (checks: Checks): string[] =>
  Object.entries(checks)
    .filter(([, status]) => status.startsWith("FAILURE"))
    .map(([name]) => name);

// Most of their time is waiting.
describe.concurrent("the conformance package's server scenarios", () => {
  let http: Awaited<ReturnType<typeof everythingOverHttp>>;
  let alone: Checks;
  beforeAll(async () => {
    http = await everythingOverHttp();
    alone = await checksOf(PROGRAM.slice(1));
  });
  afterAll(() => void http.child.kill());

  it.each(
    caseOfTheDay([
      ["stdio", () => ["--", ...PROGRAM]],
      ["HTTP", () => [http.url]],
    ] as const),
  )("give the same results with the proxy in front of it, over %s", async (_, flags) => {
    expect(await checksOf(proxyOf(...flags()))).toEqual(alone);
  });

  it.each(
    caseOfTheDay([
      ["as it is", []],
      ["with its own offloading", ["extension"]],
    ] as const),
  )("pass for the server %s, over HTTP", async (_, more) => {
    const { url, child } = await everythingOverHttp(...more);
    try {
      const checks = await conformance("server", "--url", url, "--suite", "all");
      expect(Object.keys(checks).length).toBeGreaterThan(40);
      expect(failuresOf(checks)).toEqual([]);
    } finally {
      child.kill();
    }
  });
});

describe.concurrent("the conformance package's client scenarios", () => {
  it.each(
    caseOfTheDay(["initialize", "tools_call", "elicitation-sep1034-client-defaults", "sse-retry"]),
  )("%s gives the same results with the proxy between client and server", async (scenario) => {
    const run = (...flags: string[]): Promise<Checks> => {
      const command = [process.execPath, CLIENT, ...flags].join(" ");
      return conformance("client", "--command", command, "--scenario", scenario);
    };
    const direct = await run();
    expect(failuresOf(direct)).toEqual([]);
    expect(await run("--proxy")).toEqual(direct);
  });
});
