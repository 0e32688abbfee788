import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";

import { envelopeOf } from "../../../src/adapters/mcp/transport/framing.js";
import { proxied, type Rpc, shakeHands, textsOf } from "./connections.js";

const SERVER = fileURLToPath(new URL("./scripted-server.mjs", import.meta.url));
const MESSAGE = '{"jsonrpc":"2.0","id":4,"result":{"x":1}}';

async function start(maxMessageBytes?: number) {
  const place = proxied({
    upstream: { command: process.execPath, args: [SERVER] },
    ...(maxMessageBytes !== undefined && { maxMessageBytes }),
  });
  await shakeHands(place.client);
  const call = async (name: string): Promise<Rpc> =>
    JSON.parse(await place.client.request("tools/call", { name, arguments: {} })) as Rpc;
  return { ...place, call };
}

describe("a server that writes its log to standard output", () => {
  it("is answered for by its answers, and not by the lines of the log that have them in it", async () => {
    const { call, client, warnings } = await start();
    const [text = ""] = textsOf(await call("logs what it sends"));
    expect(JSON.parse(text)).toMatchObject({ offloaded: true });
    expect(warnings).toHaveLength(4);
    expect(client.lines).toHaveLength(2);
    await client.close();
  });
});

describe("the envelope", () => {
  it("of an object with a message in it names no version", () => {
    expect(envelopeOf(`{"id":4,"sent":${MESSAGE}}`)).toEqual({
      id: "4",
      hasMethod: false,
      isRpc: false,
    });
  });
});
