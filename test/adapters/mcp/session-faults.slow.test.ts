import { describe, expect, it } from "vitest";
import { answers, EVENTS, type Handler, JSON_TYPE, start } from "./scripted-http.js";

const ok = answers(({ headers }) => ({ session: headers["mcp-session-id"] }));
const NOTICE = '{"jsonrpc":"2.0","method":"notifications/x"}';

/** A server that forgets its first session when it is told to, and has trouble with the next. */
async function forgetful(trouble: Handler, forgotten: Handler = status(404)) {
  const state = { isForgotten: false, isTroubled: true };
  const place = await start(ok, (message, response, request) => {
    if (!state.isForgotten) return undefined;
    if (request.headers["mcp-session-id"] === "s1") return forgotten(message, response, request);
    return state.isTroubled ? trouble(message, response, request) : undefined;
  });
  expect((await place.call()).result).toEqual({ session: "s1" });
  return { ...place, state };
}
const only =
  (method: string, handler: Handler): Handler =>
  (message, response, request) =>
    message.method === method ? handler(message, response, request) : undefined;
const status =
  (code: number): Handler =>
  (_, response) =>
    void response.writeHead(code).end();
const drop: Handler = (_, response) => void response.destroy();

describe("a renewal of the session that fails (A1)", () => {
  it.each<[string, Handler]>([
    ["503 for initialize", only("initialize", status(503))],
    [
      "an error as the answer",
      only("initialize", ({ id }, response) => {
        const error = { code: -32_603, message: "not now" };
        response.writeHead(200, JSON_TYPE).end(JSON.stringify({ jsonrpc: "2.0", id, error }));
      }),
    ],
    ["503 for initialized", only("notifications/initialized", status(503))],
    ["a break at initialized", only("notifications/initialized", drop)],
  ])("by %s is told, and the next call tries again", async (_, trouble) => {
    const { call, state, warnings } = await forgetful(trouble);
    state.isForgotten = true;
    expect((await call()).error?.message).toContain("HTTP 404");
    expect((await call()).error?.message).toContain("HTTP 404");
    expect(warnings.at(-1)).toContain("does not start a new one");
    state.isTroubled = false;
    const again = await call();
    expect(again.result?.["session"]).toMatch(/^s\d+$/);
    expect(again.result?.["session"]).not.toBe("s1");
    expect((await call()).result).toEqual(again.result);
  });
});

describe("the order of messages (A3)", () => {
  it("a request waits until the server has taken the notification before it", async () => {
    const taken: string[] = [];
    const { client, call } = await start(ok, ({ id, method }, response) => {
      if (method === undefined || id !== undefined) {
        if (method === "tools/call") taken.push(method);
        return undefined;
      }
      setTimeout(() => {
        taken.push(method);
        response.writeHead(202).end();
      }, 30);
      return "later";
    });
    await call();
    client.notify("notifications/roots/list_changed");
    await call();
    expect(taken).toEqual([
      "notifications/initialized",
      "tools/call",
      "notifications/roots/list_changed",
      "tools/call",
    ]);
  });
});

describe("the stream of what a server says without being asked (A4)", () => {
  /** Answers each GET with the next of these; the last one stays. */
  const listening = async (...answers: readonly Handler[]) => {
    let asked = 0;
    const place = await start(ok, (message, response, request) => {
      if (request.method !== "GET") return undefined;
      asked += 1;
      return answers[Math.min(asked, answers.length) - 1]?.(message, response, request);
    });
    const heard = () => place.client.lines.filter((line) => line === NOTICE).length;
    return { ...place, heard, asked: () => asked };
  };
  const speak: Handler = (_, response) => {
    response.writeHead(200, EVENTS);
    response.write(`retry: 1\ndata: ${NOTICE}\n\n`);
    return "later";
  };
  const speakOnce: Handler = (_, response) =>
    void response.writeHead(200, EVENTS).end(`retry: 1\ndata: ${NOTICE}\n\n`);

  it.each([503, 429])("goes on after one answer of HTTP %d", async (code) => {
    const { heard, warnings } = await listening(speakOnce, status(code), speak);
    await expect.poll(heard, { timeout: 8000 }).toBe(2);
    expect(warnings).toEqual([]);
  });
});
