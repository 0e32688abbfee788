import type { Worker } from "node:worker_threads";

import { expect, it } from "vitest";

import { notIdle, nowIdle } from "../../../src/core/engines/idle-workers.js";

it("of more than sixteen idle workers the one that has waited for longest is ended, and none that works", () => {
  const ended: number[] = [];
  const workers = Array.from({ length: 20 }, () => ({}) as Worker);
  const rest = (number: number): void =>
    nowIdle(workers[number] as Worker, () => ended.push(number));
  for (let number = 0; number < 16; number += 1) rest(number);
  expect(ended).toEqual([]);
  notIdle(workers[0] as Worker);
  rest(16);
  expect(ended).toEqual([]);
  rest(17);
  rest(0);
  expect(ended).toEqual([1, 2]);
  for (const worker of workers) notIdle(worker);
});
