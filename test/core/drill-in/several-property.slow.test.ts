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

const JQ_JOIN =
  "[inputs | . as $u | $orders[] | select(.user == $u.id) | {name: $u.name, amount}] | group_by(.name) | map([.[0].name, length, (map(.amount) | add)])[]";
const SQL_JOIN = `SELECT to_json([name, count(*)::VARCHAR, sum(amount)::VARCHAR]) FROM output
  JOIN orders ON orders."user" = output.id GROUP BY name`;

describe("a join and its sums over any two outputs are what plain JavaScript says", () => {
  it.each([
    ["jq", { filter: JQ_JOIN }, 60, (line: string) => line],
    ["sql", { query: SQL_JOIN }, 25, (line: string) => line.replaceAll(/\\(.)/g, "$1")],
  ] as const)("in %s", { timeout: 240_000 }, async (tool, query, numRuns, asJson) => {
    await fc.assert(
      fc.asyncProperty(usersArbitrary, ordersArbitrary, async (users, orders) => {
        const others = { orders: addRecords(store, orders).id };
        const call = { id: addRecords(store, users).id, ...query, with: others };
        const { text, failed } = await drillIn.run(tool, call, CALL);
        expect({ text, failed }).toMatchObject({ failed: false });
        const found = text
          .split("\n")
          // Of no rows SQL tells the columns.
          .filter((line) => line.startsWith("["))
          .map((line) => JSON.parse(asJson(line)) as string[])
          .map(([name = "", count, sum]) => [name, Number(count), Number(sum)])
          .toSorted(([one = ""], [other = ""]) => (one < other ? -1 : 1));
        expect(found).toEqual(joined(users, orders));
      }),
      { numRuns },
    );
  });
});
