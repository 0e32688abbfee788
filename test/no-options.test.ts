import { humanMessages } from "../src/adapters/langchain/human-messages/index.js";
import { tool } from "@langchain/core/tools";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { createOffloadProxy, offloadServer } from "../src/adapters/mcp/index.js";
import {
  createOffloader,
  offloadNode,
  offloadMiddleware,
  offloadToolNode,
  withOffload,
} from "../src/index.js";
import { checkedOptions } from "../src/util/option-rules.js";
import { optionsSchema, overridesSchema } from "../src/core/options/schema.js";
import { applyOverrides, resolveOptions } from "../src/core/options/resolve.js";
import { openedOffloaders } from "./opened-offloaders.js";

const echo = tool(() => "x", { name: "echo", description: "Echoes.", schema: z.object({}) });
const refusal = expect.objectContaining({
  code: "INVALID_OPTIONS",
  message: expect.stringMatching(/use an object of options|expected object/),
});

const factories: readonly (readonly [string, (options: never) => unknown])[] = [
  ["createOffloader", createOffloader],
  ["createOffloadProxy", createOffloadProxy],
  ["offloadServer", (options) => offloadServer({} as never, options)],
  ["offloadNode", (options) => offloadNode(async () => ({}), options)],
  ["humanMessages", humanMessages],
  ["offloadMiddleware", offloadMiddleware],
  ["offloadToolNode", (options) => offloadToolNode([echo], options)],
  ["withOffload", (options) => withOffload(echo, options)],
];

describe("a factory that is given no object", () => {
  it.each(factories)("says so: %s", async (_, make) => {
    for (const options of [null, 7, "x", true]) {
      await expect(async () => await make(options as never)).rejects.toThrow(refusal);
    }
  });

  it("says so of a proxy's server", () => {
    expect(() => createOffloadProxy({} as never)).toThrow(/`upstream` must be/);
  });
});

describe("an option that is undefined", () => {
  it("is gone from what the rules give back, at every depth", () => {
    const options = { threshold: { tokens: 5, bytes: undefined }, mode: undefined };
    expect(checkedOptions("t", optionsSchema, { ...options, typo: undefined })).toStrictEqual({
      threshold: { tokens: 5 },
    });
    const overrides = { enabled: undefined, threshold: { bytes: 1, tokens: undefined } };
    expect(checkedOptions("t", overridesSchema, overrides)).toStrictEqual({
      threshold: { bytes: 1 },
    });
    const resolved = resolveOptions();
    expect(applyOverrides(resolved, { threshold: undefined })).toEqual(resolved);
  });

  const open = openedOffloaders();
  it("leaves the limits of drill-ins, the agent's limits and the tools' names as they are (C5)", async () => {
    const { offloader } = open({
      drillIn: { maxAnswerTokens: undefined, timeoutMs: undefined, names: { jq: undefined } },
      threshold: { tokens: 90_000 },
      perTool: { d: { threshold: undefined, fileFormat: undefined }, e: undefined },
    } as never);
    expect(offloader.options.drillInLimits).toEqual(resolveOptions().drillInLimits);
    expect(offloader.options.toolNames.jq).toBe("jq_tool_output");
    const value = "word ".repeat(5_000);
    for (const toolName of ["d", "e", "f"]) {
      const result = await offloader.offload({ toolName, value, sessionId: "s" });
      expect(result.outcome).toBe("inline");
    }
  });
});
