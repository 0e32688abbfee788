import { expect, it } from "vitest";

import { answer, EVENTS, JSON_TYPE, start } from "./scripted-http.js";

it("makes the first request when the server is listened to, so that nothing that it asks is lost", async () => {
  const order: string[] = [];
  const { call } = await start(
    ({ id, method = "" }, response) => {
      order.push(method);
      response.writeHead(200, JSON_TYPE).end(answer(id, {}));
    },
    (_, response, request) => {
      if (request.method !== "GET") return undefined;
      setTimeout(() => {
        order.push("listened to");
        response.writeHead(200, EVENTS).flushHeaders();
      }, 100);
      return "later";
    },
  );
  await call();
  expect(order).toEqual(["listened to", "tools/call"]);
});
