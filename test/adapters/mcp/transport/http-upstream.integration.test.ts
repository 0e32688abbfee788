import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";

import { describe, expect, it } from "vitest";

import type { Rpc } from "../connections.js";
import { answer, EVENTS, type Handler, JSON_TYPE, start } from "../scripted-http.js";

describe("over HTTP", () => {
  it("each request has the headers, the session and the version; the end deletes the session", async () => {
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
    expect(rest.map(({ method }) => method).toSorted()).toEqual(["DELETE", "GET", "POST", "POST"]);
    for (const { headers } of rest) {
      expect(headers).toMatchObject({
        "mcp-session-id": "s1",
        "mcp-protocol-version": "2025-11-25",
      });
    }
  });

  it.each([
    [500, "oops  <b>", "The server answered HTTP 500 Internal Server Error: oops <b>"],
    [401, "", "The server answered HTTP 401 Unauthorized"],
  ])("HTTP %d is an error of that request", async (status, body, message) => {
    const { call } = await start((_, response) => response.writeHead(status).end(body));
    expect((await call()).error).toEqual({ code: -32_000, message });
  });

  it("an error in JSON-RPC is passed on as it is", async () => {
    const error = { code: -32_001, message: "m", data: { x: [1] } };
    const { call } = await start(({ id }, response) =>
      response.writeHead(400, JSON_TYPE).end(JSON.stringify({ jsonrpc: "2.0", id, error })),
    );
    expect((await call()).error).toEqual(error);
  });

  it("a connection that breaks, ends early or says nothing is an error of that request", async () => {
    const ways: Handler[] = [
      (_, response) => void response.destroy(),
      (_, response) =>
        void response
          .writeHead(200, { ...JSON_TYPE, "content-length": 99 })
          .write('{"js', () => response.destroy()),
      (_, response) =>
        void response.writeHead(200, EVENTS).write("data: {}", () => response.destroy()),
      (_, response) => void response.writeHead(200, EVENTS).end(),
      (_, response) => void response.writeHead(200, JSON_TYPE).end(),
    ];
    let turn = 0;
    const { call } = await start((...args) => ways[turn]?.(...args));
    for (; turn < ways.length; turn += 1) expect((await call()).error?.code).toBe(-32_000);
  });

  it("a server that is away is an error, and works again when it is back", async () => {
    const { call, server, port } = await start(({ id }, response) =>
      response.writeHead(200, JSON_TYPE).end(answer(id, {})),
    );
    server.closeAllConnections();
    server.close();
    await once(server, "close");
    expect((await call()).error?.message).toContain("cannot be reached");
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    expect((await call()).result).toEqual({});
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
    const { call, seen, warnings } = await start(({ id }, response, request) => {
      const isOld = request.headers["mcp-session-id"] === "s1";
      if (isForgotten && isOld) response.writeHead(404).end();
      else
        response
          .writeHead(200, JSON_TYPE)
          .end(answer(id, { session: request.headers["mcp-session-id"] }));
    });
    expect((await call()).result).toEqual({ session: "s1" });
    isForgotten = true;
    const answers = await Promise.all([call(), call(), call()]);
    const sessions = answers.map(({ result }) => result?.["session"]);
    expect(new Set(sessions).size).toBe(1);
    expect(sessions[0]).not.toBe("s1");
    const handshakes = seen.filter(({ message }) => message?.method === "initialize");
    expect(handshakes).toHaveLength(2);
    expect(handshakes[1]?.message?.params).toEqual(handshakes[0]?.message?.params);
    expect(warnings).toEqual(["The server had forgotten the session; a new one was started."]);
  });

  it("a server that answers 404 for ever is asked twice", async () => {
    let asked = 0;
    const { call } = await start((_, response) => {
      asked += 1;
      response.writeHead(404).end();
    });
    expect((await call()).error?.message).toContain("HTTP 404");
    expect(asked).toBe(2);
  });

  it.each(["number", "text"])(
    "a 400 under the request's own id, as a %s, is its answer, whatever it says of sessions",
    async (spelling) => {
      let asked = 0;
      const error = { code: -32_602, message: "no such chat session" };
      const { call, client, seen } = await start(({ id, params }, response) => {
        if (params?.["name"] === "fine") response.writeHead(200, JSON_TYPE).end(answer(id, {}));
        else {
          asked += 1;
          const said = spelling === "text" ? String(id) : id;
          response.writeHead(400, JSON_TYPE);
          response.end(JSON.stringify({ jsonrpc: "2.0", id: said, error }));
        }
      });
      call("chat").catch(() => undefined);
      await expect.poll(() => client.lines.at(-1)).toContain("no such chat session");
      expect((await call("fine")).result).toEqual({});
      expect(asked).toBe(1);
      expect(seen.filter(({ message }) => message?.method === "initialize")).toHaveLength(1);
      await client.close();
    },
  );

  it("an id that is used again is not failed by the stream of its first use", async () => {
    const streams: ServerResponse[] = [];
    const { client } = await start(({ id, params }, response) => {
      streams.push(response);
      response.writeHead(200, EVENTS).write(": here\n\n");
      if (params?.["name"] === "first") response.write(`data: ${answer(id, { of: "first" })}\n\n`);
    });
    const { result } = JSON.parse(await client.request("tools/call", { name: "first" }, 7)) as Rpc;
    expect(result).toEqual({ of: "first" });
    const second = client.request("tools/call", { name: "second" }, 7);
    await expect.poll(() => streams).toHaveLength(2);
    const [first] = streams;
    first?.end();
    await once(first!, "close");
    await delay(50);
    streams[1]?.end(`data: ${answer(7, { of: "second" })}\n\n`);
    expect(JSON.parse(await second).result).toEqual({ of: "second" });
    expect(client.lines.join()).not.toContain("error");
    await client.close();
  });

  it("a redirect is followed on the same host, and no other host sees the headers", async () => {
    const { call, seen } = await start(
      ({ id }, response) => response.writeHead(200, JSON_TYPE).end(answer(id, {})),
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

  it("requests of revisions without a handshake carry what routes them in headers", async () => {
    const { client, seen } = await start(({ id }, response) =>
      response.writeHead(200, JSON_TYPE).end(answer(id, { content: [] })),
    );
    const meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
    await client.request("tools/call", { name: "search", arguments: {}, _meta: meta });
    const asked = seen.find(({ message }) => message?.method === "tools/call");
    expect(asked?.headers).toMatchObject({
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "search",
    });
  });

  it("a thousand calls in flight are all answered", async () => {
    const { call } = await start(({ id, params }, response) => {
      setTimeout(
        () => response.writeHead(200, JSON_TYPE).end(answer(id, { name: params?.["name"] })),
        50,
      );
    });
    const answers = await Promise.all(
      Array.from({ length: 1000 }, (_, index) => call(`t${index}`)),
    );
    expect(answers.map(({ result }) => result?.["name"])).toEqual(
      Array.from({ length: 1000 }, (_, index) => `t${index}`),
    );
  });

  it("a call that hangs does not keep the end waiting, and is told", async () => {
    let onAsked = (): void => undefined;
    const asked = new Promise<void>((resolve) => {
      onAsked = resolve;
    });
    const { call, proxy } = await start(() => onAsked());
    const hanging = call();
    await asked;
    expect(await proxy.close()).toEqual({ by: "close" });
    expect((await hanging).error?.message).toBe("The connection has ended");
  });
});
