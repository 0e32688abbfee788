import { describe, expect, it, vi } from "vitest";

import { caseOfTheDay } from "../../../of-the-day.js";
import { type Checks, CLIENT, conformance } from "./run-official.js";

vi.setConfig({ testTimeout: 240_000 });

const failuresOf = (checks: Checks): string[] =>
  Object.entries(checks)
    .filter(([, status]) => status.startsWith("FAILURE"))
    .map(([name]) => name);

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
