import { describe, expect, it, vi } from "vitest";

import { offloadNode, offloadToolNode, withOffload } from "../../../src/index.js";
import { toolNamed } from "../agents.js";

it.each<[string, (...given: never[]) => unknown, readonly unknown[], string]>([
  ["offloadToolNode", offloadToolNode, [], "a list of tools, or a ToolNode"],
  ["offloadToolNode", offloadToolNode, [{ threshold: { tokens: 5 } }], "a list of tools"],
  ["offloadNode", offloadNode, [], "a ToolNode or a function"],
  ["offloadNode", offloadNode, [[]], "a ToolNode or a function"],
  ["withOffload", withOffload, [], "a tool"],
  ["withOffload", withOffload, [{}], "a tool"],
])(
  "what offloading is put around is asked for by %s, where it is none",
  (name, wrap, given, wanted) => {
    expect(() => Reflect.apply(wrap, undefined, given)).toThrow(
      new RegExp(
        `^These options of ${name} cannot be used:\n.*; use ${wanted}.* as the first argument$`,
      ),
    );
  },
);

describe("S16: a tool that is wrapped alone", () => {
  const long = toolNamed("read_log", () => "A line of the log.\n".repeat(5_000));

  it("warns once that nothing reads what it stores, until something has asked for the tools", async () => {
    // Whether anything has asked is known of a process: other tests have.
    vi.resetModules();
    const { withOffload } = await import("../../../src/adapters/langchain/with-offload.js");
    const { createDrillInTools } =
      await import("../../../src/adapters/langchain/drill-in-tools.js");
    const { createOffloader } = await import("../../../src/core/pipeline/create-offloader.js");
    const { memoryStore } = await import("../../../src/core/store/memory.js");
    const warned = vi.spyOn(process, "emitWarning").mockReturnValue();
    const silent = createOffloader({ store: memoryStore(), drillIn: false });
    await withOffload(long, { offloader: silent }).invoke({});
    expect(warned).not.toHaveBeenCalled();
    const offloader = createOffloader({ store: memoryStore() });
    const wrapped = withOffload(long, { offloader });
    await wrapped.invoke({});
    await wrapped.invoke({});
    expect(warned.mock.calls.map(([message]) => message)).toEqual([
      expect.stringContaining("createDrillInTools(offloader)"),
    ]);
    createDrillInTools(offloader);
    const { invoke } = withOffload(Object.assign(Object.create(long), { name: "other" }), {
      offloader,
    });
    await invoke({});
    expect(warned).toHaveBeenCalledTimes(1);
    warned.mockRestore();
  });
});
