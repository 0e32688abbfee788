/**
 * An MCP server over standard streams that writes ids as they were spelled, and messages of any length. The name of the
 * tool that is called says what it does.
 */
import { createInterface } from "node:readline";

const ID = /"id":\s*("(?:[^"\\]|\\.)*"|[^\s,}]+)/;
const say = (text) => process.stdout.write(`${text}\n`);
const rows = JSON.stringify(Array.from({ length: 3000 }, (_, row) => ({ row, city: "Rome" })));
const resultOf = (text) => `{"content":[{"type":"text","text":${JSON.stringify(text)}}]}`;
const long = `{"id":1,"a":[{"id":2,"method":"x"}],"text":"\\",\\"id\\":3}${"x".repeat(200_000)}","id":4}`;

const TOOLS = {
  rows: (id) => say(`{"jsonrpc":"2.0","id":${id},"result":${resultOf(rows)}}`),
  small: (id) => say(`{"jsonrpc":"2.0","id":${id},"result":${resultOf("small")}}`),
  "id first": (id) => say(`{"jsonrpc":"2.0","id": ${id} ,"result":${long}}`),
  "id last": (id) => say(`{"result":${long},"jsonrpc":"2.0","id":${id}}`),
  "id between": (id) => say(`{"result":${long}, "id" : ${id}, "jsonrpc":"2.0"}`),
  "error with id": (id) => say(`{"error":{"code":1,"message":"m","data":${long}},"id":${id}}`),
  "long notification": (id) => {
    say(`{"method":"notifications/message","params":${long},"jsonrpc":"2.0"}`);
    TOOLS.small(id);
  },
  "long log": (id) => {
    say("x".repeat(200_000));
    TOOLS.small(id);
  },
  "no JSON": (id) => say(`{"jsonrpc":"2.0","id":${id},"result":{"x":NaN}}`),
  "log with the id": (id) => {
    say(`{"level":"info","id":${id}}`);
    say(`{"level":info,"id":${id}}`);
    TOOLS.small(id);
  },
  "logs what it sends": (id) => {
    const sent = `{"jsonrpc":"2.0","id":${id},"result":${resultOf(rows)}}`;
    say(`DEBUG sending: ${sent}`);
    say(`[2026-01-01T00:00:00Z] ${sent}`);
    say(`{"level":"debug","id":${id},"sent":${sent}}`);
    say(`{"level":"debug"} ${sent}`);
    TOOLS.rows(id);
  },
  "carriage return": (id) => say(`{"jsonrpc":"2.0","id":${id},"result":${resultOf("small")}}\r`),
  "empty lines": (id) => {
    say("\n\r\n \n");
    TOOLS.small(id);
  },
  "one byte at a time": async (id) => {
    for (const character of `{"jsonrpc":"2.0","id":${id},"result":${resultOf("small")}}\n`) {
      await new Promise((resolve) => process.stdout.write(character, resolve));
    }
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { method, params = {} } = JSON.parse(line);
  const id = ID.exec(line)?.[1];
  if (method === "initialize") say(`{"jsonrpc":"2.0","id":${id},"result":{}}`);
  else if (method === "tools/call") TOOLS[params.name](id);
}
