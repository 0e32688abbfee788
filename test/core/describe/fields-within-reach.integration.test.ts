import { describe, expect, it } from "vitest";
import { memoryStore } from "../../../src/core/store/memory.js";
import { asker, descriptorOf, SESSION } from "../drill-in/sets/reach.js";
import { openedOffloaders } from "../../opened-offloaders.js";

const times = <Value>(length: number, make: (index: number) => Value): Value[] =>
  Array.from({ length }, (_, index) => make(index));
const pick = <Value>(values: readonly Value[], index: number): Value =>
  values[index % values.length]!;
const code = (index: number): string =>
  String.fromCharCode(65 + (index % 26), 65 + ((index * 7) % 26), 65 + ((index * 11) % 26));
const object = (keys: readonly string[], value: (index: number) => unknown): object =>
  Object.fromEntries(keys.map((key, index) => [key, value(index)]));

/** Records of the shapes that are met, and the fields that questions need. */
const SHAPES: Readonly<
  Record<string, { readonly text: string; readonly fields: readonly string[] }>
> = {
  "countries with translations and currencies": {
    text: JSON.stringify(
      times(120, (at) => ({
        name: { common: `Land ${at}`, native: { [code(at)]: { official: "o", common: "c" } } },
        cca3: code(at * 3),
        region: pick(["Africa", "Europe", "Asia"], at),
        currencies: { [code(at)]: { name: `Money ${at}`, symbol: "$" } },
        languages: { [code(at)]: `Language ${at}` },
        translations: object(times(23, code), () => ({ official: "o", common: "c" })),
        latlng: [at, -at],
        landlocked: at % 5 === 0,
        borders: times(at % 4, code),
        area: at * 100,
      })),
    ),
    fields: [
      "name.common",
      "cca3",
      "region",
      "currencies.name",
      "languages",
      "translations.official",
      "landlocked",
      "borders",
      "area",
    ],
  },
  "features with support by browser and version": {
    text: JSON.stringify({
      eras: object(
        times(12, (at) => `e-${at}`),
        (at) => `${at} versions back`,
      ),
      data: object(
        times(90, (at) => `feature-${at}`),
        (at) => ({
          title: `Feature ${at}`,
          status: pick(["rec", "cr", "wd"], at),
          links: [{ url: "u", title: "t" }],
          stats: object(
            ["ie", "edge", "firefox", "chrome", "safari", "opera", "ios", "android"],
            (browser) =>
              object(
                times(6 + browser * 9, (version) => `${version + 3}`),
                (version) => (version > at ? "y" : "n"),
              ),
          ),
          usage_perc_y: at / 3,
          keywords: "",
        }),
      ),
      updated: 1_790_573_363,
    }),
    fields: ["value.title", "value.status", "value.stats", "value.usage_perc_y", "value.keywords"],
  },
  "emoji with variations": {
    text: JSON.stringify(
      times(90, (at) => ({
        name: `EMOJI ${at}`,
        unified: `1F6${at}`,
        category: pick(["People", "Flags"], at),
        sheet_x: at % 62,
        added_in: `${at % 16}.0`,
        ...(at % 3 === 0 && {
          skin_variations: object(["1F3FB", "1F3FC", "1F3FD", "1F3FE", "1F3FF"], (tone) => ({
            unified: `1F6${at}-${tone}`,
            image: "i.png",
            sheet_x: tone,
          })),
        }),
      })),
    ),
    fields: [
      "name",
      "unified",
      "category",
      "added_in",
      "skin_variations.image",
      "skin_variations.sheet_x",
    ],
  },
  "films with a title that is a number now and then": {
    text: JSON.stringify(
      times(300, (at) => ({
        Title: at === 9 ? 21 : `Film ${at}`,
        "US Gross": at * 10_007,
        "Release Date": `Jun ${1 + (at % 28)} 1998`,
        "MPAA Rating": pick(["R", "PG", null], at),
        "Major Genre": pick(["Drama", "Comedy"], at),
        "IMDB Rating": at / 31,
      })),
    ),
    fields: ["Title", "US Gross", "Release Date", "MPAA Rating", "Major Genre", "IMDB Rating"],
  },
  "a table with prices": {
    text: [
      "sku,name,price,tags,added",
      ...times(
        300,
        (at) =>
          `A${at},"Thing, ${at}",$${at}.95,"red, ${pick(["blue", "green, blue"], at)}",2021-07-22T00:00:00`,
      ),
    ].join("\n"),
    fields: ["sku", "name", "price", "tags", "added"],
  },
  "an answer of GraphQL": {
    text: JSON.stringify({
      data: {
        organization: {
          repository: {
            issues: {
              totalCount: 60,
              nodes: times(60, (at) => ({
                number: at,
                title: `Issue ${at}`,
                author: { login: "a" },
              })),
            },
          },
        },
      },
    }),
    fields: ["number", "title", "author.login"],
  },
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
    text: JSON.stringify(
      times(12, (at) =>
        object(
          times(220, (field) => `column_${field}_of_all`),
          () => at,
        ),
      ),
    ),
    fields: ["column_0_of_all", "column_219_of_all"],
  },
  "records with many fields in one": {
    text: JSON.stringify(
      times(12, (at) => ({
        id: at,
        inner: object(
          times(200, (field) => `part_${field}_x`),
          (field) => (field % 2 ? at : `t${at}`),
        ),
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
        const [, table] = /; sql_tool_output with DESCRIBE (\S+) lists them$/.exec(rest) ?? [];
        const answer =
          table === undefined
            ? rest
            : await asker(offloader, stored)("sql", { query: `DESCRIBE ${table}` });
        expect(answer).toContain(field.split(".")[0]);
      }
    },
  );
});
