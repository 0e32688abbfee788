import { describe, expect, it } from "vitest";

import { answer, EVENTS, type Handler, JSON_TYPE, start } from "./scripted-http.js";

const JSON_ANSWER = (id: unknown): string => answer(id, { n: 1 });
const sends =
  (headers: Record<string, string>, body: (id: unknown) => string, code = 200): Handler =>
  ({ id }, response) =>
    void response.writeHead(code, headers).end(body(id));
const breaks =
  (headers: Record<string, string>, body: string): Handler =>
  (_, response) =>
    void response.writeHead(200, headers).write(body, () => response.destroy());

/** Every way in which a server may answer a request wrongly: the request is told, the next one works. */
const FAULTS: readonly (readonly [string, Handler])[] = [
  ...[202, 304, 404, 429, 503].map((code): readonly [string, Handler] => [
    `HTTP ${code}`,
    (_, response) => void response.writeHead(code).end(),
  ]),
  ["HTTP 503 without an end", (_, response) => void response.writeHead(503).write("<html>")],
  ["a break before the head", (_, response) => void response.destroy()],
  ["what is no HTTP", (_, response) => void response.socket?.end("hello\r\n\r\n")],
  ["a break in the body", breaks({ ...JSON_TYPE, "content-length": "99" }, '{"jsonrpc"')],
  ["an empty body", sends(JSON_TYPE, () => "")],
  ["bad JSON", sends(JSON_TYPE, (id) => JSON_ANSWER(id).slice(0, -1))],
  ["a page of HTML", sends({ "content-type": "text/html" }, () => "<html><p>Log in</p></html>")],
  ["JSON that is no message", sends(JSON_TYPE, (id) => JSON.stringify({ id, result: {} }))],
  ["an answer to somebody else", sends(JSON_TYPE, () => JSON_ANSWER("other"))],
  ["a stream without an event", sends(EVENTS, () => "")],
  ["a stream of comments", sends(EVENTS, () => ": hi\n\n: hi\n\n")],
  ["a stream of nonsense", sends(EVENTS, () => "\u{0}\u{1}\n\ndata\n\n:\n:::\n\nid\n\n")],
  ["an event of bad JSON", sends(EVENTS, () => "data: {\n\n")],
  ["an event of another type", sends(EVENTS, (id) => `event: x\ndata: ${JSON_ANSWER(id)}\n\n`)],
  ["an event that is cut short", sends(EVENTS, (id) => `data: ${JSON_ANSWER(id)}\n`)],
  ["a stream that breaks", breaks(EVENTS, "data: {}\n")],
  ["a head that is too large", sends({ ...JSON_TYPE, "x-long": "y".repeat(40_000) }, JSON_ANSWER)],
];

describe("over HTTP, whatever a server does to one request", () => {
  it.each(FAULTS)("%s: that request is told, and the next one works", async (_, fault) => {
    let isFaulty = true;
    const { call } = await start((...args) =>
      isFaulty ? fault(...args) : sends(JSON_TYPE, JSON_ANSWER)(...args),
    );
    expect((await call()).error).toMatchObject({
      code: -32_000,
      message: expect.stringMatching(/\S/),
    });
    isFaulty = false;
    expect((await call()).result).toEqual({ n: 1 });
  });

  it("a stream that closes again and again with a time of 0 is resumed until the answer comes (A8)", async () => {
    let turns = 0;
    const { call } = await start(
      (_, response) => void response.writeHead(200, EVENTS).end("id: 1\nretry: 0\ndata:\n\n"),
      ({ id }, response, request) => {
        const after = request.headers["last-event-id"];
        if (request.method !== "GET" || after === undefined) return;
        turns += 1;
        const data = turns === 4 ? JSON_ANSWER(101) : "";
        expect([id, after]).toEqual([undefined, String(turns)]);
        response.writeHead(200, EVENTS).end(`id: ${turns + 1}\nretry: 0\ndata: ${data}\n\n`);
      },
    );
    expect((await call()).result).toEqual({ n: 1 });
    expect(turns).toBe(4);
  });
});

it.each([
  ["at first", [405], 0],
  ["after a fault", [503, 405], 1],
])(
  "a server that sends nothing unasked and says so %s is no fault, unless something broke before",
  async (_, codes, told) => {
    const left = [...codes];
    const onOther: Handler = (_message, response, { method }) => {
      if (method === "GET") response.writeHead(left.shift() ?? 405).end();
    };
    const { seen, warnings } = await start(() => undefined, onOther);
    await expect
      .poll(() => seen.filter(({ method }) => method === "GET"))
      .toHaveLength(codes.length);
    await expect.poll(() => warnings.filter((line) => line.includes("405"))).toHaveLength(told);
  },
);
