/**
 * A server with what the conformance package asks a server for, and a tool with a large result. `node everything-server.mjs
 * stdio` speaks over standard streams, `http` over streamable HTTP, and prints its address; `extension` after it gives it
 * its own offloading.
 */
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";

import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import * as types from "@modelcontextprotocol/sdk/types.js";

import { offloadServer } from "../../../../dist/adapters/mcp/index.js";

const [over, extension] = process.argv.slice(2);
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYPhfDwACgwF/TmNPkwAAAABJRU5ErkJggg==";
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";
const text = (value) => ({ content: [{ type: "text", text: value }] });
const resource = (uri, mimeType, value) => ({
  type: "resource",
  resource: { uri, mimeType, text: value },
});
const image = { type: "image", data: PNG, mimeType: "image/png" };
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const titled = (count) =>
  Array.from({ length: count }, (_, at) => ({ const: `value${at}`, title: `Value ${at}` }));
const LETTERS = ["a", "b", "c"];

const DEFAULTS = {
  name: { type: "string", default: "John Doe" },
  age: { type: "integer", default: 30 },
  score: { type: "number", default: 95.5 },
  status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
  verified: { type: "boolean", default: true },
};
const ENUMS = {
  untitledSingle: { type: "string", enum: LETTERS },
  titledSingle: { type: "string", oneOf: titled(3) },
  legacyEnum: { type: "string", enum: LETTERS, enumNames: ["A", "B", "C"] },
  untitledMulti: { type: "array", items: { type: "string", enum: LETTERS } },
  titledMulti: { type: "array", items: { anyOf: titled(3) } },
};

async function elicit(server, message, properties, required = []) {
  const requestedSchema = { type: "object", properties, required };
  const { action, content } = await server.elicitInput({ mode: "form", message, requestedSchema });
  return text(`action=${action}, content=${JSON.stringify(content ?? {})}`);
}

/** The tools by name: what each answers. */
const TOOLS = {
  test_simple_text: () => text("This is a simple text response for testing."),
  test_image_content: () => ({ content: [image] }),
  test_audio_content: () => ({ content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }] }),
  test_embedded_resource: () => ({
    content: [resource("test://embedded-resource", "text/plain", "An embedded resource.")],
  }),
  test_multiple_content_types: () => ({
    content: [
      { type: "text", text: "Several kinds:" },
      image,
      resource("test://mixed-content-resource", "application/json", '{"test":"data"}'),
    ],
  }),
  test_error_handling: () => ({ ...text("This tool gives an error."), isError: true }),
  async test_tool_with_logging(server, args, extra) {
    for (const data of ["started", "goes on", "completed"]) {
      const params = { level: "info", data: `Tool execution ${data}` };
      await extra.sendNotification({ method: "notifications/message", params });
      await wait(50);
    }
    return text("Logged.");
  },
  async test_tool_with_progress(server, args, extra) {
    const { progressToken = 0 } = extra._meta ?? {};
    for (const progress of [0, 50, 100]) {
      const params = { progressToken, progress, total: 100 };
      await extra.sendNotification({ method: "notifications/progress", params });
      await wait(50);
    }
    return text(String(progressToken));
  },
  async test_reconnection(server, args, extra) {
    extra.closeSSEStream?.();
    await wait(100);
    return text("Reconnected.");
  },
  async test_sampling(server, { prompt }) {
    const content = { type: "text", text: prompt };
    const given = await server.createMessage({
      messages: [{ role: "user", content }],
      maxTokens: 100,
    });
    return text(`LLM response: ${given.content.text}`);
  },
  test_elicitation: (server, { message }) =>
    elicit(server, message, { response: { type: "string" } }, ["response"]),
  test_elicitation_sep1034_defaults: (server) => elicit(server, "Defaults?", DEFAULTS),
  test_elicitation_sep1330_enums: (server) => elicit(server, "Which?", ENUMS),
  json_schema_2020_12_tool: (server, args) => text(JSON.stringify(args)),
};
const SCHEMAS = {
  test_sampling: { type: "object", properties: { prompt: { type: "string" } } },
  test_elicitation: { type: "object", properties: { message: { type: "string" } } },
  json_schema_2020_12_tool: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    $defs: {
      address: {
        type: "object",
        properties: { street: { type: "string" }, city: { type: "string" } },
      },
    },
    properties: { name: { type: "string" }, address: { $ref: "#/$defs/address" } },
    additionalProperties: false,
  },
};
const RESOURCES = {
  "test://static-text": { mimeType: "text/plain", text: "The static text resource." },
  "test://static-binary": { mimeType: "image/png", blob: PNG },
  "test://watched-resource": { mimeType: "text/plain", text: "Watched." },
};
const user = (content) => ({ role: "user", content });
const PROMPTS = {
  test_simple_prompt: () => [user({ type: "text", text: "A simple prompt." })],
  test_prompt_with_arguments: ({ arg1, arg2 }) => [
    user({ type: "text", text: `arg1='${arg1}', arg2='${arg2}'` }),
  ],
  test_prompt_with_embedded_resource: ({ resourceUri }) => [
    user(resource(resourceUri, "text/plain", "Embedded.")),
    user({ type: "text", text: "Read it." }),
  ],
  test_prompt_with_image: () => [user(image), user({ type: "text", text: "Look at it." })],
};
const ARGUMENTS = {
  test_prompt_with_arguments: ["arg1", "arg2"],
  test_prompt_with_embedded_resource: ["resourceUri"],
};

function newServer() {
  const server = new Server(
    { name: "everything", version: "1.0.0" },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: { listChanged: true },
        logging: {},
        completions: {},
      },
    },
  );
  const on = (schema, handler) => server.setRequestHandler(schema, handler);
  on(types.ListToolsRequestSchema, () => ({
    tools: Object.keys(TOOLS).map((name) => ({
      name,
      description: `The tool ${name}.`,
      inputSchema: SCHEMAS[name] ?? { type: "object" },
    })),
  }));
  on(types.CallToolRequestSchema, async ({ params }, extra) => {
    const tool = TOOLS[params.name];
    if (tool === undefined) throw new types.McpError(-32_602, `No tool ${params.name}.`);
    try {
      return await tool(server, params.arguments ?? {}, extra);
    } catch (error) {
      return { ...text(String(error)), isError: true };
    }
  });
  on(types.ListResourcesRequestSchema, () => ({
    resources: Object.entries(RESOURCES).map(([uri, { mimeType }]) => ({
      uri,
      name: uri,
      description: `The resource ${uri}.`,
      mimeType,
    })),
  }));
  on(types.ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [
      { uriTemplate: "test://template/{id}/data", name: "data", mimeType: "application/json" },
    ],
  }));
  on(types.ReadResourceRequestSchema, ({ params: { uri } }) => {
    const id = /^test:\/\/template\/(\w+)\/data$/.exec(uri)?.[1];
    const content =
      id === undefined
        ? RESOURCES[uri]
        : {
            mimeType: "application/json",
            text: JSON.stringify({ id, data: `Data for ID: ${id}` }),
          };
    if (content === undefined) throw new types.McpError(-32_002, "Resource not found", { uri });
    return { contents: [{ uri, ...content }] };
  });
  on(types.SubscribeRequestSchema, () => ({}));
  on(types.UnsubscribeRequestSchema, () => ({}));
  on(types.ListPromptsRequestSchema, () => ({
    prompts: Object.keys(PROMPTS).map((name) => ({
      name,
      description: `The prompt ${name}.`,
      arguments: (ARGUMENTS[name] ?? []).map((argument) => ({
        name: argument,
        description: `The argument ${argument}.`,
        required: true,
      })),
    })),
  }));
  on(types.GetPromptRequestSchema, ({ params }) => ({
    messages: PROMPTS[params.name](params.arguments ?? {}),
  }));
  on(types.SetLevelRequestSchema, () => ({}));
  on(types.CompleteRequestSchema, () => ({ completion: { values: [], total: 0, hasMore: false } }));
  if (extension) offloadServer(server, { sharedFilesystem: true });
  return server;
}

/** Events by stream, so that a client that comes back gets what it has missed. */
function eventStore() {
  const events = [];
  return {
    async storeEvent(streamId, message) {
      events.push({ streamId, message });
      return String(events.length);
    },
    async replayEventsAfter(lastEventId, { send }) {
      const { streamId } = events[Number(lastEventId) - 1];
      for (let at = Number(lastEventId); at < events.length; at += 1) {
        const event = events[at];
        const isMessage = Object.keys(event.message).length > 0;
        if (event.streamId === streamId && isMessage) await send(String(at + 1), event.message);
      }
      return streamId;
    },
  };
}

if (over === "stdio") await newServer().connect(new StdioServerTransport());
else {
  const sessions = new Map();
  const answer = async (request, response) => {
    const { host = "", origin, "mcp-session-id": id } = request.headers;
    const isHere = /^(?:localhost|127\.0\.0\.1)(?::\d+)?$/;
    if (!isHere.test(host) || (origin && !isHere.test(new URL(origin).host))) {
      response.writeHead(403).end();
      return;
    }
    let transport = sessions.get(id);
    if (id !== undefined && transport === undefined) {
      response.writeHead(404).end();
      return;
    }
    if (transport === undefined) {
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        eventStore: eventStore(),
        retryInterval: 500,
        onsessioninitialized: (sessionId) => void sessions.set(sessionId, transport),
      });
      await newServer().connect(transport);
    }
    await transport.handleRequest(request, response);
  };
  const http = createServer((request, response) => void answer(request, response));
  http.listen(0, "127.0.0.1", () => {
    process.stdout.write(`http://127.0.0.1:${http.address().port}/mcp\n`);
  });
}
