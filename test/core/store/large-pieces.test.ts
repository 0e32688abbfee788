import { expect, it } from "vitest";

import { piecesOf } from "../../../src/core/store/chunks.js";

it("a large piece is copied whole, and the event loop has its turns meanwhile", async () => {
  const body = Buffer.alloc(9_000_001, "abc");
  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const pieces: Uint8Array[] = [];
  for await (const piece of piecesOf(
    [body.subarray(0, 10), body.subarray(10)],
    body.length,
    body.length,
  ))
    pieces.push(piece);
  isOver = true;
  expect(pieces).toHaveLength(1);
  expect(Buffer.compare(pieces[0] ?? Buffer.alloc(0), body)).toBe(0);
  expect(turns).toBeGreaterThanOrEqual(4);
});

it("a body is asked for no more once it is longer than announced", async () => {
  const asked = { times: 0, isOver: false };
  function* endless(): Generator<Uint8Array> {
    try {
      for (;;) {
        asked.times += 1;
        yield new Uint8Array(10);
      }
    } finally {
      asked.isOver = true;
    }
  }
  const reading = async (): Promise<void> => {
    for await (const piece of piecesOf(endless(), 25, 10)) expect(piece).toHaveLength(10);
  };
  await expect(reading()).rejects.toThrow(RangeError);
  expect(asked).toEqual({ times: 3, isOver: true });
});

it.each([[new Uint8Array(3)], [[[new Uint16Array([300, 301, 302])]]], [["abc"]], [[null]]])(
  "a body that is not bytes is refused as one: %s",
  async (body: unknown) => {
    const pieces = piecesOf(body as Uint8Array[], 3, 10);
    await expect(pieces.next()).rejects.toThrow("A body must be an iterable of Uint8Array.");
  },
);
