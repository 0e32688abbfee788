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
