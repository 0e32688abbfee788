import { describe, expect, it } from "vitest";

import { asker, descriptorOf, SESSION } from "../../drill-in/sets/reach.js";
import { openedOffloaders } from "../../../opened-offloaders.js";

const COUNT = 30_000;
const NOTE = "A note that makes the records too many to look at all of them ";
const open = openedOffloaders();

type Make = (id: number) => Readonly<Record<string, unknown>>;

/** One in 2,501 records is odd, which no sample of 1,000 has to show. */
const isOdd = (id: number): boolean => id % 2_501 === 2_500;
const dateOf = (id: number): string => new Date(Date.UTC(2024, 0, 1) + id * 3_600_000).toJSON();
const json = (make: Make): string =>
  JSON.stringify(Array.from({ length: COUNT }, (_, id) => ({ ...make(id), note: NOTE + id })));
const csv = (make: Make): string =>
  Array.from({ length: COUNT }, (_, id) => `${Object.values(make(id)).join()},${NOTE.trim()}${id}`)
    .join("\n")
    .replace(/^/, `${Object.keys(make(0)).join()},note\n`);

async function offloaded(text: string, sql: boolean) {
  const { offloader } = open({ drillIn: { sql: sql && {} } });
  const stored = await offloader.put(text, { sessionId: SESSION });
  return { ask: asker(offloader, stored), descriptor: descriptorOf(stored) };
}

/** What the call answers that a descriptor names for the exact range. */
async function exactRange(text: string, sql: boolean): Promise<string> {
  const { ask, descriptor } = await offloaded(text, sql);
  const said: unknown = Reflect.get(descriptor.summary, "looked_at");
  const [, name = "", query = ""] = /exact: (sql|jq)_tool_output\(.*?(".*")\)$/.exec(String(said))!;
  const quoted: string = JSON.parse(query);
  return name === "sql"
    ? await ask("sql", { query: quoted })
    : await ask("jq", { filter: quoted, slurp: true });
}

describe.each([true, false])("the exact range of a sampled field (SQL: %s)", (sql) => {
  it.each<[string, string, string, string]>([
    ["numbers", json((id) => ({ v: id })), "0", "29999"],
    ["numbers with texts among them", json((id) => ({ v: isOdd(id) ? "n/a" : id })), "0", "29999"],
    [
      "dates of a table with empty cells",
      csv((id) => ({ at: isOdd(id) ? "" : dateOf(id) })),
      dateOf(0),
      dateOf(COUNT - 1),
    ],
    [
      "dates with empty texts among them",
      json((id) => ({ at: isOdd(id) ? ["", null][id % 2] : dateOf(id) })),
      dateOf(0),
      dateOf(COUNT - 1),
    ],
  ])("is that of %s", async (_name, text, lowest, highest) => {
    const answer = await exactRange(text, sql);
    const plain = answer.replaceAll('"', "");
    expect(plain).toContain(sql ? `\n${lowest} | ${highest}\n` : `[${lowest},${highest}]`);
  });
});
