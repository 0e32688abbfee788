import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { references } from "../../../../src/adapters/langchain/references/references.js";
import { type OffloadOptions, sessionKeyOf } from "../../../../src/index.js";
import { artifactIdIn } from "../../../../src/core/store/naming.js";
import { type ScriptedTurn } from "../../../../src/testing/scripted-model.js";
import { imageBlock, noise, pdf, png } from "../../../core/pipeline/media/samples.js";
import { media } from "../../../../src/plugins/media/media.js";
import { openedOffloaders } from "../../../opened-offloaders.js";
import { agentOf, calling, thread, toolNamed } from "../../agents.js";
import { toolMessages } from "../../large-outputs.js";

const picture = png(1280, 720);
const small = imageBlock(png(8, 8, 40));
const CONFIG = thread("thread");
const opened = openedOffloaders();

function screenshot(
  content: unknown = [{ type: "text", text: "Here it is." }, small, imageBlock(picture)],
) {
  return toolNamed("screenshot", () => content);
}

/** A turn that has the id of what was stored last. */
const withId =
  (name: string, more: (id: string) => Record<string, unknown> = (id) => ({ id })): ScriptedTurn =>
  (messages) =>
    calling(name, more(idIn(messages)));

function idIn(messages: readonly BaseMessage[]): string {
  for (const message of messages.toReversed()) {
    const path = /"file_path":"([^"]+)"/.exec(textIn(message));
    const id = path?.[1] && artifactIdIn(path[1]);
    if (id) return id;
  }
  return "";
}

const textIn = ({ content }: BaseMessage): string =>
  typeof content === "string"
    ? content
    : content.map((block) => ("text" in block ? String(block["text"]) : "")).join("\n");

async function run(
  turns: readonly ScriptedTurn[],
  {
    tools = [screenshot()],
    profile = { imageInputs: true, imageToolMessage: true },
    like = {},
    ...options
  }: OffloadOptions & { tools?: readonly unknown[]; profile?: object; like?: object } = {},
) {
  const { offloader } = opened({ plugins: [media()], ...options });
  const checkpointer = new MemorySaver();
  const agent = agentOf(turns, tools, { offloader }, { checkpointer, profile });
  Object.assign(agent.model, like);
  const { messages } = await agent.invoke({ messages: [new HumanMessage("Go.")] }, CONFIG);
  const checkpoint = JSON.stringify((await checkpointer.getTuple(CONFIG))?.checkpoint);
  return { messages, requests: agent.model.requests, offloader, checkpoint };
}

describe("an agent whose tool gives a large image", () => {
  it("keeps texts and small blocks in their place, and has a descriptor in the place of the large one", async () => {
    const { messages, offloader, checkpoint } = await run([calling("screenshot")]);
    const [message] = toolMessages(messages);
    const content = message?.content as Record<string, unknown>[];
    expect(content.slice(0, -1)).toEqual([{ type: "text", text: "Here it is." }, small]);
    expect(JSON.parse(String(content[2]?.["text"]))).toMatchObject({
      offloaded: true,
      summary: expect.stringMatching(
        /^image\/png, 1,280 x 720 pixels, [\d,]+ bytes, about 1,229 tokens$/,
      ),
      guidance: expect.stringContaining("view_tool_output(id=file_path)"),
    });
    const { artifacts } = await offloader.store.list(sessionKeyOf("thread"));
    expect(artifacts).toMatchObject([
      { media: { kind: "image", type: "image/png" }, sizeBytes: picture.length },
    ]);
    expect(artifacts[0]?.fileName).toMatch(/\.png$/);
    expect(message?.artifact).toMatchObject({ id: artifacts[0]?.id });
    expect(checkpoint).not.toContain(picture.toString("base64").slice(300, 400));
  });

  it("passes it to another tool by its id: base64 where that takes text, a block where it takes an object", async () => {
    const given: Record<string, unknown>[] = [];
    const schema = z.object({
      text: z.string(),
      block: z.record(z.string(), z.unknown()),
      list: z.array(z.unknown()),
    });
    const ocr = toolNamed("ocr", (args) => (given.push(args), "Hello"), schema);
    const { messages } = await run(
      [
        calling("screenshot"),
        withId("ocr", ($output) => ({ text: { $output }, block: { $output }, list: { $output } })),
      ],
      {
        tools: [screenshot(), ocr],
        plugins: [media(), references()],
        perTool: { ocr: { plugins: { references: true } } },
      },
    );
    expect(textIn(messages.at(-2) as BaseMessage)).toBe("Hello");
    const block = imageBlock(picture);
    expect(given).toEqual([{ text: picture.toString("base64"), block, list: [block] }]);
  });

  it("keeps a resource that the adapters of MCP put into the artifact out of the checkpoint, and tells of it", async () => {
    const document = pdf(4);
    const blob = document.toString("base64");
    const file = { uri: "file:///report.pdf", mimeType: "application/pdf", blob };
    const resource = { type: "resource", resource: file };
    const report = toolNamed("report", () => ["See the report.", [resource]], undefined, {
      responseFormat: "content_and_artifact",
    });
    const { messages, checkpoint } = await run([calling("report")], { tools: [report] });
    const said = textIn(toolMessages(messages)[0] as BaseMessage);
    expect(said).toMatch(
      /^See the report\.\n\{"offloaded":true,"summary":"application\/pdf, 4 pages/,
    );
    expect(said).toContain('"name":"file:///report.pdf"');
    expect(checkpoint).not.toContain(document.toString("base64").slice(2_000, 2_100));
  });
});

describe("a model that does not take a file as it is", () => {
  const openAi = { supportsStrictToolCalling: undefined };
  const url = `data:image/png;base64,${picture.toString("base64")}`;
  const [report, mimeType] = [pdf(4).toString("base64"), "application/pdf"];
  const older = { source_type: "base64", mime_type: mimeType, data: report };
  it.each<[object, object, object, object]>([
    [{ imageInputs: true }, {}, imageBlock(picture), { type: "image_url", image_url: { url } }],
    [{ imageToolMessage: true }, openAi, imageBlock(picture), { type: "image_url" }],
    [{ pdfToolMessage: true }, openAi, { type: "file", mimeType, data: report }, older],
    [{}, {}, { type: "file", mimeType, data: report }, { mimeType, data: report }],
  ])("is shown it in a message of the user (%j, %j)", async (profile, like, block, seen) => {
    const people = (messages: readonly BaseMessage[]) =>
      messages.filter((one) => HumanMessage.isInstance(one));
    const turn: ScriptedTurn = (messages) => {
      if (people(messages).length > 1) return "I see it.";
      const id = idIn(messages);
      return id === "" ? calling("screenshot") : calling("view_tool_output", { id });
    };
    const options = { profile, like, tools: [screenshot([block])] };
    const plugins = [media({ views: ["image", "pdf"] })];
    const { messages, requests } = await run([turn, turn, turn], { ...options, plugins });
    const last = requests.at(-1) ?? [];
    expect(HumanMessage.isInstance(last.at(-1))).toBe(true);
    expect(last.at(-1)?.content).toMatchObject([seen]);
    expect(JSON.stringify(last.at(-2)?.content)).not.toContain("base64");
    expect(people(messages)).toHaveLength(1);
  });

  it.each<[string, Buffer, RegExp, string?]>([
    ["a type that providers refuse", noise(70_000), /PNG, JPEG, GIF and WebP/, "image/tiff"],
    ["an image that is cut off", png(100, 100).subarray(0, 90_000), /cut off or damaged/],
    ["an image of too many pixels", png(100_000, 100_000), /more than 8,000 pixels/],
    ["an image without pixels", png(0, 10), /cut off or damaged/],
    ["an encrypted PDF", pdf(2, "/Encrypt 9 0 R "), /it is encrypted/],
    ["a PDF of very many pages", pdf(500), /more than 100 pages/],
    [
      "an archive",
      Buffer.concat([Buffer.from("PK\x03\x04"), noise(70_000)]),
      /a model cannot be shown/,
    ],
    ["a file that is too large", png(10, 10, 4_100_000), /at most 3,900,000 are shown/],
  ])(
    "is neither offered nor shown what its provider would refuse: %s",
    async (_, bytes, sentence, mimeType = "application/x-any") => {
      const { messages } = await run([calling("screenshot"), withId("view_tool_output")], {
        tools: [screenshot([{ type: "file", mimeType, data: bytes.toString("base64") }])],
        plugins: [media({ views: ["image", "pdf"] })],
      });
      const [told = "", shown] = toolMessages(messages).map((message) => textIn(message));
      expect(told).not.toContain("shows it to you");
      expect(shown).toMatch(sentence);
    },
  );
});
