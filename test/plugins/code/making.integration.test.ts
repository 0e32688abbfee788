import { afterAll, describe, expect, it } from "vitest";

import type { CodeTools, CodeToolResult } from "../../../src/plugins/code/request.js";
import { hostOf, recordsBody, resultOf, returnOf, startCode } from "./code-runs.js";

const engine = startCode();
afterAll(() => engine.close());

describe("outputs.save", () => {
  it("stores records as one list and gives the id", async () => {
    const host = hostOf({ r: recordsBody([{ a: 1 }, { a: 2 }]) });
    const code =
      "const id = outputs.save('doubled', outputs.open('r').map(({ a }) => ({ a: a * 2 }))); return id";
    const result = await resultOf(engine, code, host);
    expect(result.returned).toMatchObject({ text: "made-0" });
    expect(host.kept).toEqual([{ from: { savedAs: "doubled" }, text: '[{"a":2},\n{"a":4}]' }]);
  });

  it("streams more than the vm can hold", async () => {
    const small = startCode({ maxMemoryMb: 8 });
    const host = hostOf();
    const code =
      "outputs.save('many', (function* () { for (let i = 0; i < 60000; i += 1) yield { i, text: 'x'.repeat(300) } })())";
    await returnOf(small, code, host);
    await small.close();
    expect(host.kept[0]?.text.split("\n").length).toBe(60_000);
    expect(host.kept[0]?.text.length).toBeGreaterThan(18_000_000);
  });

  it("stores nothing of records that fail in the middle, which the code may catch", async () => {
    const host = hostOf();
    const code =
      "try { outputs.save('x', (function* () { yield 1; throw new Error('stop') })()) } catch (e) { return e.message }";
    const result = await resultOf(engine, code, host);
    expect(result.returned).toMatchObject({ text: "stop" });
    expect(host.kept).toEqual([]);
  });

  it("can be read by what it was given as", async () => {
    const made = recordsBody([{ a: 5 }], "made-0");
    const host = hostOf({ "made-0": made });
    expect(
      await returnOf(
        engine,
        "const id = outputs.save('x', [{ a: 5 }]); return [...outputs.open(id)]",
        host,
      ),
    ).toEqual([{ a: 5 }]);
  });
});

function toolsOf(call: (name: string, args: never, index: number) => Promise<CodeToolResult>): {
  readonly tools: CodeTools;
} {
  return {
    tools: {
      names: ["add", "find", "large-list"],
      call: ({ toolName, args, index }) => call(toolName, args as never, index),
    },
  };
}

describe("tools", () => {
  it("are called with their arguments, and give values", async () => {
    const host = hostOf(
      {},
      toolsOf(async (_, { a, b }: { a: number; b: number }) => ({ json: `{"sum":${a + b}}` })),
    );
    const result = await resultOf(
      engine,
      "const { sum } = await tools.add({ a: 1, b: 2 }); return sum",
      host,
    );
    expect(result).toMatchObject({ returned: { text: "3" } });
  });

  it("go on at once, and are told apart by their order", async () => {
    const begun: number[] = [];
    let allHaveBegun = (): void => undefined;
    const all = new Promise<void>((resolve) => (allHaveBegun = resolve));
    const host = hostOf(
      {},
      toolsOf(async (_, { wait }: { wait: number }, index) => {
        if (begun.push(index) === 3) allHaveBegun();
        await all;
        await new Promise((resolve) => setTimeout(resolve, wait));
        return { json: String(index) };
      }),
    );
    const code = "return await Promise.all([30, 1, 15].map((wait) => tools.add({ wait })))";
    expect(await returnOf(engine, code, host)).toEqual([0, 1, 2]);
    expect(begun).toEqual([0, 1, 2]);
  });

  it("that fail are exceptions at the line of their call", async () => {
    const host = hostOf(
      {},
      toolsOf(async () => ({ error: "a must be a number" })),
    );
    const { fault } = await resultOf(engine, "const a = 1;\nawait tools.add({ a: 'x' })", host);
    expect(fault).toMatchObject({ message: "a must be a number", line: 2 });
    expect(
      await returnOf(
        engine,
        "try { await tools.add() } catch (e) { return e instanceof Error }",
        host,
      ),
    ).toBe(true);
  });

  it("of a large result give its data, to be iterated and opened again", async () => {
    const body = recordsBody(
      Array.from({ length: 3000 }, (_, id) => ({ id, x: "x" })),
      "stored",
    );
    const host = hostOf(
      { stored: body },
      toolsOf(async () => ({ storedId: "stored" })),
    );
    const code = `const rows = await tools["large-list"]();
      let n = 0; for (const row of rows) n += row.id;
      return [n, rows.id, [...outputs.open(rows, ["id"])].length, [...outputs.open("stored")].length]`;
    expect(await returnOf(engine, code, host)).toEqual([4_498_500, "stored", 3000, 3000]);
    expect(host.opened).toEqual(["stored"]);
  });

  it("are exceptions in the code by what their call throws", async () => {
    const host = hostOf(
      {},
      toolsOf(() => Promise.reject(new Error("no such host"))),
    );
    const code = "try { await tools.add() } catch (error) { return error.message }";
    expect(await returnOf(engine, code, host)).toBe("no such host");
  });

  it("are bounded in number and in what they are given", async () => {
    const host = hostOf(
      {},
      toolsOf(async () => ({ json: "1" })),
    );
    const many = await resultOf(
      engine,
      "await Promise.all(Array.from({ length: 2000 }, () => tools.add()))",
      host,
    );
    expect(many.fault?.message).toContain("1000 calls of tools are under way");
    const large = await resultOf(engine, "await tools.add({ a: 'x'.repeat(300000) })", host);
    expect(large.fault?.message).toContain("the arguments of a tool have 262,144 bytes at most");
  });
});

describe("the signal of a run", () => {
  it("ends it with its reason", async () => {
    const stop = new AbortController();
    const running = engine.run(
      { code: "for (;;);", host: hostOf(), maxOutputBytes: 1000 },
      stop.signal,
    );
    setTimeout(() => stop.abort(new Error("enough")), 50);
    await expect(running).rejects.toThrow("enough");
    await expect(
      engine.run({ code: "return 1", host: hostOf(), maxOutputBytes: 1000 }, stop.signal),
    ).rejects.toThrow("enough");
  });
});
