import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";

import {
  addRecords,
  CALL,
  createTestStore,
  drillInOver,
  UNHURRIED,
  WITH_SQL,
} from "./stored-outputs.js";

const store = createTestStore();
const drillIn = drillInOver(store, { ...UNHURRIED, maxOutputTokens: 20_000 }, WITH_SQL);
afterAll(() => drillIn.close());

interface User {
  readonly id: number;
  readonly name: string;
}

interface Order {
  readonly user: number | null;
  readonly amount: number;
}

const id = fc.integer({ min: 0, max: 8 });
const usersArbitrary = fc.array(
  fc.record<User>({ id, name: fc.constantFrom("Ada", "Bob", "naïve 日本", "a | b", 'q"q') }),
  { minLength: 1, maxLength: 12 },
);
const ordersArbitrary = fc.array(
  fc.record<Order>({
    user: fc.option(id, { freq: 6 }),
    amount: fc.integer({ min: -(10 ** 9), max: 10 ** 9 }),
  }),
  { minLength: 1, maxLength: 20 },
);

/** By name: how many orders meet a user of the name, and their sum. */
function joined(users: readonly User[], orders: readonly Order[]): [string, number, number][] {
  const byName = new Map<string, [string, number, number]>();
  for (const { id, name } of users) {
    for (const { user, amount } of orders.filter((order) => order.user === id)) {
      const [, count, sum] = byName.get(name) ?? [name, 0, 0];
      byName.set(name, [name, count + 1, sum + amount]);
      if (user === null) throw new Error("null meets nobody");
    }
  }
  return [...byName.values()].toSorted(([one], [other]) => (one < other ? -1 : 1));
}

/** The lines of an answer without its note. */
async function resultLines(answer: Promise<{ text: string; failed: boolean }>): Promise<string[]> {
  const { text, failed } = await answer;
  expect({ text, failed }).toMatchObject({ failed: false });
  return text.split("\n").slice(0, -1);
}

const JQ_JOIN =
  "[inputs | . as $u | $orders[] | select(.user == $u.id) | {name: $u.name, amount}] | group_by(.name) | map([.[0].name, length, (map(.amount) | add)])";
const SQL_JOIN = `SELECT to_json([name, count(*)::VARCHAR, sum(amount)::VARCHAR]) FROM output
  JOIN orders ON orders."user" = output.id GROUP BY name`;

describe("a join and its sums over any two outputs are what plain JavaScript says", () => {
  it("in jq", { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(usersArbitrary, ordersArbitrary, async (users, orders) => {
        const call = {
          id: addRecords(store, users).id,
          filter: JQ_JOIN,
          with: { orders: addRecords(store, orders).id },
        };
        const [line = ""] = await resultLines(drillIn.run("jq", call, CALL));
        const found = JSON.parse(line) as [string, number, number][];
        expect(found.toSorted(([one], [other]) => (one < other ? -1 : 1))).toEqual(
          joined(users, orders),
        );
      }),
      { numRuns: 60 },
    );
  });

  it("in SQL", { timeout: 240_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(usersArbitrary, ordersArbitrary, async (users, orders) => {
        const call = {
          id: addRecords(store, users).id,
          query: SQL_JOIN,
          with: { orders: addRecords(store, orders).id },
        };
        const [, ...lines] = await resultLines(drillIn.run("sql", call, CALL));
        const found = lines
          // Of no rows it tells the columns.
          .filter((line) => line.startsWith("["))
          .map((line) => JSON.parse(line.replaceAll(/\\(.)/g, "$1")) as string[])
          .map(([name = "", count, sum]) => [name, Number(count), Number(sum)])
          .toSorted(([one = ""], [other = ""]) => (one < other ? -1 : 1));
        expect(found).toEqual(joined(users, orders));
      }),
      { numRuns: 25 },
    );
  });
});
