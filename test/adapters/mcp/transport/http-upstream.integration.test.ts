import { describe, expect, it } from "vitest";
import { answer, answers, EVENTS, JSON_TYPE, start } from "../scripted-http.js";

describe("over HTTP", () => {
  it("each request has the headers, in Latin-1 (T3), the session and the version; the end deletes the session", async () => {
    const { seen, call, client } = await start(({ id }, response) =>
      response
        .writeHead(200, JSON_TYPE)
        .end(`{\n "jsonrpc": "2.0",\r\n "id": ${id}, "result": {"n": 1e400}\n}\n`),
    );
    await call();
    expect(client.lines.at(-1)).toMatch(
      /^\{ "jsonrpc": "2.0", "id": \d+, "result": \{"n": 1e400\}\}$/,
    );
    await client.close();
    const [initialize, ...rest] = seen;
    expect(initialize?.headers).toMatchObject({
      authorization: "Bearer t",
      "content-type": "application/json",
    });
    expect(initialize?.headers["mcp-session-id"]).toBeUndefined();
    expect(seen.map(({ headers }) => headers["x-name"])).toEqual(seen.map(() => "Zoé"));
    expect(rest.map(({ method }) => method).toSorted()).toEqual(["DELETE", "GET", "POST", "POST"]);
    for (const { headers } of rest) {
      expect(headers).toMatchObject({
        "mcp-session-id": "s1",
        "mcp-protocol-version": "2025-11-25",
      });
    }
  });

  it.each([
    ["an answer as JSON", JSON_TYPE, ""],
    ["a stream of events", EVENTS, "data: "],
  ])("waits for %s that is silent for longer than fetch would wait", async (_, type, before) => {
    await fetch("data:,");
    const place = Symbol.for("undici.globalDispatcher.1");
    const usual: object = Reflect.get(globalThis, place);
    const limits = { headersTimeout: 50, bodyTimeout: 50 };
    Reflect.set(globalThis, place, Reflect.construct(usual.constructor, [limits]));
    try {
      const { call, warnings } = await start(({ id }, response) => {
        if (type === EVENTS) response.writeHead(200, type).flushHeaders();
        setTimeout(() => {
          if (!response.headersSent) response.writeHead(200, type);
          response.end(`${before}${answer(id, { late: true })}\n\n`);
        }, 2_500);
      });
      expect((await call()).result).toEqual({ late: true });
      expect(warnings).toEqual([]);
    } finally {
      Reflect.set(globalThis, place, usual);
    }
  });

  it("a stream that breaks after an event is resumed after it", async () => {
    let asked: string | undefined;
    const { call } = await start(
      ({ id }, response) => {
        response.writeHead(200, EVENTS);
        response.write(`id: e1\nretry: 10\ndata: \n\n`);
        response.write(
          `id: call-${id}\ndata: {"jsonrpc":"2.0","method":"notifications/x"}\n\n`,
          () => response.destroy(),
        );
      },
      (_, response, request) => {
        const after = request.headers["last-event-id"];
        if (typeof after !== "string") return;
        asked = after;
        const id = Number(after.slice(5));
        response.writeHead(200, EVENTS).end(`data: ${answer(id, { resumed: true })}\n\n`);
      },
    );
    expect((await call()).result).toEqual({ resumed: true });
    expect(asked).toMatch(/^call-\d+$/);
  });

  it("a forgotten session is started again once, with the client's own handshake", async () => {
    let isForgotten = false;
    const { call, seen, warnings } = await start(
      answers(({ headers }) => ({ session: headers["mcp-session-id"] })),
      (_, response, { headers }) => {
        if (isForgotten && headers["mcp-session-id"] === "s1") response.writeHead(404).end();
      },
    );
    expect((await call()).result).toEqual({ session: "s1" });
    isForgotten = true;
    const given = await Promise.all([call(), call(), call()]);
    const sessions = given.map(({ result }) => result?.["session"]);
    expect(new Set(sessions).size).toBe(1);
    expect(sessions[0]).not.toBe("s1");
    const handshakes = seen.filter(({ message }) => message?.method === "initialize");
    expect(handshakes).toHaveLength(2);
    expect(handshakes[1]?.message?.params).toEqual(handshakes[0]?.message?.params);
    expect(warnings).toEqual(["The server had forgotten the session; a new one was started."]);
  });

  it("a redirect is followed on the same host, and no other host sees the headers", async () => {
    const { call, seen } = await start(
      answers(() => ({})),
      (_, response, request) => {
        if (request.url === "/mcp") response.writeHead(307, { location: "/mcp/" }).end();
      },
    );
    expect((await call()).result).toEqual({});
    expect(seen.filter(({ method }) => method === "POST").length).toBe(4);
    const away = await start((_, response) =>
      response.writeHead(307, { location: "http://localhost:1/steal" }).end(),
    );
    expect((await away.call()).error?.message).toContain("HTTP 307");
  });
});
