import { expect, it, onTestFinished } from "vitest";

import { createExchange, type Exchange } from "../../eval/by-hand/exchange.js";
import { serveHttpPlayer } from "../../eval/by-hand/http-player.js";
import type { Turn } from "../../eval/by-hand/seat-model.js";

const TURN: Turn = {
  tools: [{ name: "count", description: "Counts.", parameters: {} }],
  messages: [],
};
const place = { id: "a", number: 1, of: 1 };

async function served(): Promise<{ readonly exchange: Exchange; readonly url: string }> {
  const exchange = createExchange();
  const player = await serveHttpPlayer(exchange, () => place);
  onTestFinished(() => player.close());
  return { exchange, url: player.url };
}

async function post(url: string, body: string): Promise<{ status: number; body: unknown }> {
  const response = await fetch(url, { method: "POST", body });
  return { status: response.status, body: await response.json() };
}

it("listens on the loopback address only, at a path that nobody can guess", async () => {
  const [one, other] = [await served(), await served()];
  expect(new URL(one.url).hostname).toBe("127.0.0.1");
  expect(new URL(one.url).pathname).not.toBe(new URL(other.url).pathname);
  expect((await fetch(new URL("/", one.url))).status).toBe(404);
});

it.each([
  ["", 'Send {"tool"'],
  ["[1]", 'Send {"tool"'],
  ['{"tool": "sum"}', 'There is no tool "sum". Tools: count.'],
  ['{"tool": 7}', "There is no tool 7."],
  ['{"tool": "count", "args": [1]}', "args is an object."],
  [`{"answer": "${"x".repeat(4 * 1024 * 1024)}"}`, "A request has at most"],
])("takes no action from %#", async (body, sentence) => {
  const { exchange, url } = await served();
  void exchange.ask(TURN);
  const reply = await post(url, body);
  expect(reply.status).toBe(400);
  expect(JSON.stringify(reply.body)).toContain(JSON.stringify(sentence).slice(1, -1));
});

it("takes one action at a time, and says when all is over", async () => {
  const { exchange, url } = await served();
  const asked = exchange.ask(TURN);
  const first = post(url, '{"tool": "count", "args": {"of": "x"}}');
  expect(await asked).toEqual({ tool: "count", args: { of: "x" } });
  // The tool still works: there is no turn to act in.
  expect(exchange.act({ answer: 1 })).toBeUndefined();
  const next = exchange.ask(TURN);
  expect((await first).body).toEqual({ answers: [] });
  const last = post(url, '{"answer": null}');
  expect(await next).toEqual({ answer: null });
  exchange.end();
  expect((await last).body).toEqual({ ended: "recorded", next: { over: true } });
  expect((await post(url, '{"answer": 1}')).body).toEqual({ over: true });
  expect(await (await fetch(url)).json()).toEqual({ over: true });
});
