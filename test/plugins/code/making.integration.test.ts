import { afterAll, describe, expect, it } from "vitest";

import type { CodeTools, CodeToolResult } from "../../../src/plugins/code/request.js";
import { hostOf, recordsBody, resultOf, returnOf, startCode, type TestHost } from "./code-runs.js";

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
});

/** A host with tools that all do the same. */
function hostWith(
  call: (args: never, index: number) => Promise<CodeToolResult>,
  bodies: Parameters<typeof hostOf>[0] = {},
): TestHost {
  let count = 0;
  const tools: CodeTools = {
    names: ["add", "large-list"],
    call: ({ args }) => call(args as never, count++),
  };
  return hostOf(bodies, { tools });
}

describe("tools", () => {
  it("go on at once, and are told apart by their order", async () => {
    const begun: number[] = [];
    let allHaveBegun = (): void => undefined;
    const all = new Promise<void>((resolve) => (allHaveBegun = resolve));
    const host = hostWith(async ({ wait }: { wait: number }, index) => {
      if (begun.push(index) === 3) allHaveBegun();
      await all;
      await new Promise((resolve) => setTimeout(resolve, wait));
      return { json: String(index) };
    });
    const code = "return await Promise.all([30, 1, 15].map((wait) => tools.add({ wait })))";
    expect(await returnOf(engine, code, host)).toEqual([0, 1, 2]);
    expect(begun).toEqual([0, 1, 2]);
  });

  it("that fail are exceptions at the line of their call", async () => {
    const host = hostWith(async () => ({ error: "a must be a number" }));
    const { error, place } = await resultOf(
      engine,
      "const a = 1;\nawait tools.add({ a: 'x' })",
      host,
    );
    expect({ error, place }).toMatchObject({ error: "a must be a number", place: { line: 2 } });
    const caught = "try { await tools.add() } catch (e) { return e instanceof Error }";
    expect(await returnOf(engine, caught, host)).toBe(true);
  });

  it("of a large result give its data, to be iterated and opened again", async () => {
    const records = Array.from({ length: 3000 }, (_, id) => ({ id, x: "x" }));
    const stored = recordsBody(records, "stored");
    const host = hostWith(async () => ({ storedId: "stored" }), { stored });
    const code = `const rows = await tools["large-list"]();
      let n = 0; for (const row of rows) n += row.id;
      return [n, rows.id, [...outputs.open(rows, ["id"])].length, [...outputs.open("stored")].length]`;
    expect(await returnOf(engine, code, host)).toEqual([4_498_500, "stored", 3000, 3000]);
    expect(host.opened).toEqual(["stored"]);
  });

  it("are bounded in number and in what they are given", async () => {
    const host = hostWith(async () => ({ json: "1" }));
    const calls = "await Promise.all(Array.from({ length: 2000 }, () => tools.add()))";
    const many = await resultOf(engine, calls, host);
    expect(many.error).toContain("1000 calls of tools are under way");
    const large = await resultOf(engine, "await tools.add({ a: 'x'.repeat(300000) })", host);
    expect(large.error).toContain("the arguments of a tool have 262,144 bytes at most");
  });
});

describe("the signal of a run", () => {
  it("ends it with its reason", async () => {
    const stop = new AbortController();
    const request = { code: "for (;;);", host: hostOf(), maxOutputBytes: 1000 };
    const running = engine.run(request, stop.signal);
    setTimeout(() => stop.abort(new Error("enough")), 50);
    await expect(running).rejects.toThrow("enough");
    await expect(engine.run(request, stop.signal)).rejects.toThrow("enough");
  });
});
