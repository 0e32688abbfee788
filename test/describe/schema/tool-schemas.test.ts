import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { type AgentMiddleware, createAgent, tool } from "langchain";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { offloadMiddleware } from "../../../src/adapters/langchain/offload-middleware.js";
import { profileRecords } from "../../../src/describe/profile/profile.js";
import { createToolSchemas } from "../../../src/describe/schema/tool-schemas.js";
import { briefTypeOf, typeScriptOf } from "../../../src/describe/schema/type-script.js";
import type { Offloader } from "../../../src/offload/create-offloader.js";
import { internals } from "../../../src/offload/offloader.js";
import { scriptedModel } from "../../../src/testing/scripted-model.js";
import { valuesContent } from "../fixture.js";
import { openedOffloaders } from "../../opened-offloaders.js";

const opened = openedOffloaders();
const ajv = new Ajv2020({
  strict: false,
  ownProperties: true,
  formats: { date: true, "date-time": true },
});

async function store(offloader: Offloader, rows: unknown, sessionId = "one"): Promise<void> {
  await offloader.put(JSON.stringify(rows), { sessionId, toolName: "list_orders" });
}

const orders = Array.from({ length: 200 }, (_, id) => ({
  id,
  state: id % 3 === 0 ? "open" : "closed",
  total: id / 4,
  placed: `2026-01-${String(1 + (id % 28)).padStart(2, "0")}`,
  ...(id % 4 === 0 && { note: `secret note ${id}` }),
  customer: { name: `Customer ${id}`, tags: ["a", "b"] },
}));

describe("offloader.schemaOf", () => {
  it("says what was stored of a tool, with types, formats, few words, and shares of optional fields", async () => {
    const { offloader } = opened({ toolSchemas: true });
    await store(offloader, orders);
    const learned = offloader.schemaOf("list_orders", "one");
    expect(learned).toEqual({
      schema: {
        type: "object",
        properties: {
          id: { type: "integer" },
          state: { type: "string", enum: ["closed", "open"] },
          total: { type: "number" },
          placed: { type: "string", format: "date" },
          note: { type: "string" },
          customer: {
            type: "object",
            properties: {
              name: { type: "string" },
              tags: { type: "array", items: { type: "string", enum: ["a", "b"] } },
            },
            required: ["name", "tags"],
          },
        },
        required: ["id", "state", "total", "placed", "customer"],
      },
      outputs: 1,
      records: 200,
      recordsLookedAt: 200,
      complete: true,
      shares: { note: 0.25 },
    });
  });

  it("merges the outputs of a session: other types join, what one lacks is optional, and the rest is counted", async () => {
    const { offloader } = opened({ toolSchemas: true });
    await store(offloader, orders);
    const others = orders.map(({ id }) => ({ id: `order ${id}`, state: null }));
    await store(offloader, others);
    const learned = offloader.schemaOf("list_orders", "one");
    expect(learned?.schema.required).toEqual(["id", "state"]);
    expect(learned?.schema.properties?.["id"]).toEqual({ type: ["integer", "string"] });
    expect(learned?.schema.properties?.["state"]?.enum).toEqual(["closed", "open", null]);
    expect([learned?.outputs, learned?.records, learned?.shares["total"]]).toEqual([2, 400, 0.5]);
  });

  it("holds for every record that it was learned from", async () => {
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 3 },
        fc.constant(null),
        fc.integer(),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.string(),
        fc.constantFrom("open", "closed", "2026-01-02", "2026-01-02T03:04:05Z"),
        fc.boolean(),
        fc.array(tie("any"), { maxLength: 4 }),
        fc.dictionary(fc.constantFrom("a", "b", "c", "d e", "__proto__"), tie("any")),
      ),
    })).any;
    const record = fc.dictionary(fc.constantFrom("x", "y", "z", "constructor"), value);
    const sets = fc.array(fc.array(record, { minLength: 2, maxLength: 30 }), {
      minLength: 1,
      maxLength: 3,
    });
    await fc.assert(
      fc.asyncProperty(sets, async (outputs) => {
        const { offloader } = opened({ toolSchemas: true });
        for (const rows of outputs) await store(offloader, rows);
        const learned = offloader.schemaOf("list_orders");
        if (learned === undefined) return;
        const validate = ajv.compile(learned.schema);
        for (const row of outputs.flat()) {
          expect([validate(JSON.parse(JSON.stringify(row))), validate.errors]).toEqual([
            true,
            null,
          ]);
        }
      }),
      { numRuns: 25 },
    );
  });

  it("keeps sessions apart, and has all of them only for the program's own code", async () => {
    const { offloader } = opened({ toolSchemas: true });
    await store(offloader, orders, "one");
    await store(offloader, [{ salary: 1 }, { salary: 2 }], "two");
    expect(Object.keys(offloader.schemaOf("list_orders", "two")?.schema.properties ?? {})).toEqual([
      "salary",
    ]);
    expect(offloader.schemaOf("list_orders", "three")).toBe(undefined);
    expect(offloader.schemaOf("list_orders")?.schema.properties).toHaveProperty("salary");
    await offloader.endSession("two");
    expect(offloader.schemaOf("list_orders", "two")).toBe(undefined);
  });

  it("has no keys that are data", async () => {
    const { offloader } = opened({ toolSchemas: true });
    const rows = Array.from({ length: 100 }, (_, row) => ({
      byUser: Object.fromEntries(
        Array.from({ length: 20 }, (_, user) => [
          `user-${row * 20 + user}@example.org`,
          { visits: user },
        ]),
      ),
    }));
    await store(offloader, rows);
    const learned = offloader.schemaOf("list_orders", "one");
    expect(JSON.stringify(learned)).not.toContain("example.org");
    expect(learned?.schema.properties?.["byUser"]?.additionalProperties?.type).toBe("object");
  });

  it("stays within bounds, whatever the records are", async () => {
    const { offloader } = opened({ toolSchemas: true });
    const wide = (at: number) =>
      Object.fromEntries(
        Array.from({ length: 900 }, (_, key) => [`f${at}x${"abcdefghij"[key % 10]}${key}`, key]),
      );
    await store(offloader, [wide(1), wide(1)]);
    await store(offloader, [wide(2), wide(2)]);
    const learned = offloader.schemaOf("list_orders");
    expect(Object.keys(learned?.schema.properties ?? {}).length).toBeLessThanOrEqual(500);
    expect(JSON.stringify(learned).length).toBeLessThan(100_000);
  });

  it("says that a field is left out whose name is too long, and counts one that is called __proto__", async () => {
    const { offloader } = opened({ toolSchemas: true });
    await store(offloader, [{ id: 1, ["n".repeat(65)]: 1 }]);
    expect(offloader.schemaOf("list_orders")?.complete).toBe(false);
    const odd = JSON.stringify([{ id: 1 }, { id: 2, PROTO: 1 }]).replace("PROTO", "__proto__");
    await offloader.put(odd, { sessionId: "a", toolName: "odd" });
    expect(Object.entries(offloader.schemaOf("odd")?.shares ?? {})).toEqual([["__proto__", 0.5]]);
  });

  it("forgets the tools that were met longest ago, where all have too many fields", async () => {
    const schemas = createToolSchemas();
    const fields = Array.from({ length: 500 }, (_, at) => [`field ${at}`, at]);
    const profile = await profileRecords(valuesContent([Object.fromEntries(fields)]));
    const names = Array.from({ length: 52 }, (_, at) => `tool ${at}`);
    for (const name of names) schemas.learn(name, "one", profile);
    const known = (scope?: string): string[] =>
      names.filter((name) => schemas.schemaOf(name, scope) !== undefined);
    expect(known()).toEqual(names.slice(2));
    expect(known("one")).toEqual(names.slice(2));
  });

  it("is not there unless it was asked for, and nothing is learned then", async () => {
    const { offloader } = opened();
    await store(offloader, orders);
    expect([offloader.schemaOf("list_orders"), offloader.options.toolSchemas]).toEqual([
      undefined,
      undefined,
    ]);
  });
});

describe("what any session may be told", () => {
  it("has only fields that two sessions have had, and no values", async () => {
    const { offloader } = opened({ toolSchemas: true });
    await store(
      offloader,
      orders.map((order) => ({ ...order, "Jane Doe": 1 })),
      "one",
    );
    expect(internals(offloader).sharedSchemaOf("list_orders")?.schema).toEqual({ type: "object" });
    await store(offloader, orders, "two");
    const told = JSON.stringify(internals(offloader).sharedSchemaOf("list_orders")?.schema);
    expect(told).toContain('"customer"');
    for (const hidden of ["Jane Doe", "closed", "secret", "Customer"])
      expect(told).not.toContain(hidden);
  });
});

describe("a learned schema as a type", () => {
  const schema = {
    type: "object" as const,
    properties: {
      id: { type: "integer" as const },
      "odd key": { type: ["null", "string"] as const },
      items: {
        type: "array" as const,
        items: { type: "object" as const, properties: { a: { type: "number" as const } } },
      },
      state: { type: "string" as const, enum: ["open", "closed"] },
    },
    required: ["id"],
  };

  it("is TypeScript", () => {
    expect(typeScriptOf("list_orders", schema)).toBe(
      `export type ListOrders = {
  id: number;
  "odd key"?: null | string;
  items?: ({
    a?: number;
  })[];
  state?: "open" | "closed";
};
`,
    );
    expect(typeScriptOf("9-lives", { type: "array" })).toBe(
      "export type Output9Lives = unknown[];\n",
    );
  });

  it("is cut to a budget: what is deep goes first, then the last fields", () => {
    const whole = briefTypeOf(schema, 1000) ?? "";
    expect(whole).toContain("a?: number;");
    for (const most of [whole.length - 1, 60, 40, 20]) {
      const brief = briefTypeOf(schema, most);
      expect((brief ?? "").length).toBeLessThanOrEqual(most);
    }
    expect(briefTypeOf(schema, 40)).toBe("{ id: number; … }");
    expect(briefTypeOf(schema, 5)).toBe(undefined);
    const open = { ...schema, additionalProperties: {} };
    expect(briefTypeOf(open, 50)).toBe("{ id: number; … } & Record<string, unknown>");
  });
});

describe("an agent that is shown schemas", () => {
  it("has them after the descriptions, the same in every call of a session, and from earlier sessions only", async () => {
    const { offloader } = opened({ toolSchemas: { show: true, maxTokens: 60 } });
    const listOrders = tool(() => JSON.stringify(orders), {
      name: "list_orders",
      description: "All orders.",
      schema: z.object({}),
    });
    const shown: string[][] = [];
    const run = async (thread: string): Promise<string[]> => {
      const model = scriptedModel([{ toolCalls: [{ name: "list_orders", args: {} }] }]);
      const agent = createAgent({
        model,
        tools: [listOrders],
        middleware: [
          offloadMiddleware({ offloader }),
          {
            name: "watch",
            wrapModelCall: (request, handler) => {
              const seen = request.tools.find(({ name }) => name === "list_orders");
              shown.push([thread, String(seen?.description)]);
              return handler(request);
            },
          },
        ],
      });
      const from = shown.length;
      await agent.invoke({ messages: "Which?" }, { configurable: { thread_id: thread } });
      return shown.slice(from).map(([, description = ""]) => description);
    };
    expect(await run("one")).toEqual(["All orders.", "All orders."]);
    expect(await run("two")).toEqual(["All orders.", "All orders."]);
    const [first = "", second] = await run("three");
    expect(second).toBe(first);
    expect(first).toMatch(/^All orders\.\nOne record of its earlier outputs \(2\): \{ id: number;/);
    expect(first.length).toBeLessThanOrEqual("All orders.\n".length + 240);
    expect(first).not.toContain("closed");
  });

  it("leaves a tool as it is whose own schema is none in JSON", async () => {
    const { offloader } = opened({ toolSchemas: { show: true, maxTokens: 60 }, references: false });
    const dated = tool(() => JSON.stringify(orders), {
      name: "list_orders",
      description: "All orders.",
      schema: z.object({ since: z.date().optional() }),
    });
    const seen: unknown[] = [];
    for (const thread_id of ["one", "two", "three"]) {
      const model = scriptedModel([{ toolCalls: [{ name: "list_orders", args: {} }] }, "Done."]);
      const watch: AgentMiddleware = {
        name: "watch",
        wrapModelCall: (request, handler) => {
          seen.push(request.tools.find(({ name }) => name === "list_orders"));
          return handler({ ...request, tools: [] });
        },
      };
      const middleware = [offloadMiddleware({ offloader }), watch];
      const agent = createAgent({ model, tools: [dated], middleware });
      await agent.invoke({ messages: "Which?" }, { configurable: { thread_id } });
    }
    expect(seen).toHaveLength(6);
    expect(seen.every((one) => one === dated)).toBe(true);
  });
});
