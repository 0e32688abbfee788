import { describe, expect, it } from "vitest";

import { offloadNode } from "../../../src/adapters/langchain/offload-node.js";
import { offloadToolNode } from "../../../src/adapters/langchain/offload-tool-node.js";
import { withOffload } from "../../../src/adapters/langchain/with-offload.js";

describe("what offloading is put around", () => {
  it.each<[string, (...given: never[]) => unknown, readonly unknown[], string]>([
    ["offloadToolNode", offloadToolNode, [], "a list of tools, or a ToolNode"],
    ["offloadToolNode", offloadToolNode, [{ threshold: { tokens: 5 } }], "a list of tools"],
    ["offloadNode", offloadNode, [], "a ToolNode or a function"],
    ["offloadNode", offloadNode, [[]], "a ToolNode or a function"],
    ["withOffload", withOffload, [], "a tool"],
    ["withOffload", withOffload, [{}], "a tool"],
  ])("is asked for by %s, where it is none", (name, wrap, given, wanted) => {
    expect(() => Reflect.apply(wrap, undefined, given)).toThrow(
      new RegExp(
        `^These options of ${name} cannot be used:\n.*; use ${wanted}.* as the first argument$`,
      ),
    );
  });
});
