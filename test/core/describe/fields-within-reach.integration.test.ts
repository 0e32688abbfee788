import { describe, expect, it } from "vitest";
import { memoryStore } from "../../../src/core/store/memory.js";
import { asker, descriptorOf, SESSION } from "../drill-in/sets/reach.js";
import { openedOffloaders } from "../../opened-offloaders.js";
import { times } from "./samples.js";

const object = (fields: number, make: (index: number) => readonly [string, unknown]): object =>
  Object.fromEntries(times(fields, make));

/** Records of the shapes that are met, and the fields that questions need. */
const SHAPES: Readonly<
  Record<string, { readonly text: string; readonly fields: readonly string[] }>
> = {
  "lists side by side, one of them short": {
    text: JSON.stringify({
      orders: times(200, (at) => ({ id: at, total: at * 3, customer: { id: at % 20 } })),
      customers: times(60, (at) => ({ id: at, name: `Customer ${at} of the shop` })),
      regions: [
        { id: 1, name: "north" },
        { id: 2, name: "south" },
      ],
    }),
    fields: ["total", "customer.id", "name", ".regions"],
  },
  "records of 220 fields": {
    text: JSON.stringify(times(12, (at) => object(220, (n) => [`column_${n}_of_all`, at]))),
    fields: ["column_0_of_all", "column_219_of_all"],
  },
  "records with many fields in one": {
    text: JSON.stringify(
      times(12, (at) => ({
        id: at,
        inner: object(200, (n) => [`part_${n}_x`, n % 2 ? at : `t${at}`]),
      })),
    ),
    fields: ["id", "inner.part_0_x", "inner.part_199_x"],
  },
};

/** Whether a map of fields names one, by itself or inside the line of the field that it is in. */
function isNamed(schema: Readonly<Record<string, unknown>>, field: string): boolean {
  return Object.entries(schema).some(([name, said]) => {
    if (typeof said === "object" && said !== null) return isNamed(said as typeof schema, field);
    const path = name.replaceAll(".<key>", "");
    if (path === field) return true;
    const [last = ""] = field.split(".").slice(-1);
    return field.startsWith(`${path}.`) && new RegExp(`[{ ]${last}[:,}]`).test(String(said));
  });
}

const open = openedOffloaders();

describe("each field that a question needs", () => {
  it.each(Object.entries(SHAPES))(
    "is in the descriptor of %s, or one stated call away",
    async (_, { text, fields }) => {
      const { offloader } = open({
        store: memoryStore(),
        drillIn: { maxAnswerTokens: 20_000 },
      });
      const stored = await offloader.put(text, { sessionId: SESSION });
      expect(stored.descriptor.form).toBe("generic");
      expect(stored.descriptor.tokens).toBeLessThanOrEqual(600);
      const { line_schema: schema, summary } = descriptorOf(stored);
      for (const field of fields) {
        if (isNamed(schema, field) || Object.hasOwn(summary.rest ?? {}, field)) continue;
        const rest = String(schema["…"]);
        const answer = rest.endsWith("; jq_tool_output with keys lists them")
          ? await asker(offloader, stored)("jq", { filter: "keys" })
          : rest;
        expect(answer).toContain(field.split(".")[0]);
      }
    },
  );
});
