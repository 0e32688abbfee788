import { describe, expect, it } from "vitest";

import { runHere } from "./run-command.js";

describe("T4: the headers of a proxy", () => {
  it.each([
    ["with a command", ["--header-env", "X-A=HOME", "--", "true"]],
    ["with a command, and without a variable", ["--header-env", "A", "--", "true"]],
    ["as a token with a command", ["--token-env", "HOME", "--", "true"]],
    ["with two signs of equality", ["--header-env", "X-A=HOME=Y", "https://127.0.0.1:1/mcp"]],
    ["without a variable", ["--header-env", "A", "https://127.0.0.1:1/mcp"]],
  ])("are wrong usage %s", async (_, args) => {
    const { code, stdout } = await runHere(["proxy", ...args], { env: { HOME: "/" } });
    expect([code, stdout]).toEqual([2, ""]);
  });
});
