import { HumanMessage } from "@langchain/core/messages";
import { isCommand, isGraphBubbleUp, isGraphInterrupt } from "@langchain/langgraph";

import { internals, type Offloader } from "../../core/pipeline/offloader.js";
import { ownToolNames } from "../../core/options/tools.js";
import { sessionKeyOf } from "../../core/store/naming.js";
import { refuseOptions } from "../../core/types/errors.js";
import type { PluginHooks } from "../../core/types/plugin.js";
import { fieldOf } from "../../util/field-of.js";
import { isRecord } from "../../util/is-record.js";
import type {
  AgentHooks,
  AgentHost,
  CalledTool,
  InvokeTool,
  PresentedTool,
  PresentSite,
  ToolRequest,
  ToolResult,
  ToolSite,
} from "./agent-hooks.js";
import { openModel } from "./model-call/open-model.js";
import { isStrict, withReferenceSchema } from "./references/reference-rules.js";
import { type CallSite, sessionOfTool } from "./run/session.js";
import { tellAll, type ToolRun } from "./run/tool-run.js";
import { copyWith } from "../../util/copy-with.js";
import { messageWith } from "./tool/messages.js";
import { isEmptied, textOf } from "../../core/content/content-blocks.js";
import { unwrapOutput } from "../../core/content/unwrap.js";
import { resultText } from "../../core/pipeline/inline.js";
import { listOf } from "../../util/as-kind.js";
import { isStoredArtifact } from "./run/carried.js";
import type { ToolLike } from "./tool/wrapped-tool.js";
import { cleanText, cutError, toolErrorText } from "./tool/tool-errors.js";
import { isOffloadedMessage } from "./tool/tool-message.js";

export function agentHooksOf(offloader: Offloader, callsModel: boolean): readonly AgentHooks[] {
  const host: AgentHost = {
    offloader,
    ownTools: new Set(ownToolNames(offloader.options)),
    callsModel,
    shownTool: (tool) => withReferenceSchema(tool, new Map()),
    isStrict,
    openModel,
    humanMessage: (content) => new HumanMessage({ content }),
    withContent: (message, content) => messageWith(message, { content }),
  };
  return internals(offloader).host.plugged.flatMap(({ hooks }) =>
    // The core, which calls `setup`, knows no agents.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    hooks.agent === undefined ? [] : [hooks.agent(host as never) as AgentHooks],
  );
}

/** @throws OffloadError `INVALID_OPTIONS` when the offloader has no such plugin */
export function pluginStateOf<State>(
  offloader: Offloader,
  states: WeakMap<PluginHooks, State>,
  factory: string,
  plugin: string,
): State {
  for (const { hooks } of internals(offloader).host.plugged) {
    const found = states.get(hooks);
    if (found !== undefined) return found;
  }
  refuseOptions(
    `${factory} needs an offloader with its plugin, such as createOffloader({ plugins: [${plugin}] }).`,
  );
}

export function presented(
  hooks: readonly AgentHooks[],
  tools: readonly PresentedTool[],
  at: PresentSite,
): readonly PresentedTool[] {
  return hooks.reduce((shown, own) => own.presentTools?.(shown, at) ?? shown, tools);
}

export type CallOther = (call: Parameters<InvokeTool>[0]) => Promise<ToolResult>;

interface Calling {
  readonly call: ToolRun;
  readonly hooks: readonly AgentHooks[];
  readonly site: CallSite;
  readonly callOther: CallOther;
}

export async function callWithHooks(
  { call, hooks, site, callOther }: Calling,
  request: ToolRequest,
  run: (request: ToolRequest) => Promise<ToolResult>,
): Promise<ToolResult> {
  const at: ToolSite = {
    site,
    sessionId: sessionOfTool(site),
    state: call.callState,
    callTool: callerOf(call.offloader, site, callOther),
    emit: (event) => tellAll(call, event),
  };
  return await hooks.reduceRight<typeof run>((next, own) => {
    const wrap = own.wrapToolCall?.bind(own);
    return wrap === undefined ? next : (changed) => wrap(changed, next, at);
  }, run)(request);
}

export function presentedTools<Tool extends ToolLike>(
  tools: readonly Tool[],
  hooks: readonly AgentHooks[],
): Tool[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- hooks look at name, description and schema.
  const given = tools as unknown as readonly PresentedTool[];
  const at = { sessionId: undefined, isStrict: false, hasOffloads: true };
  const shown = presented(hooks, given, at);
  return tools.map((tool, index) => {
    const as = shown[index];
    if (as === undefined || as === given[index]) return tool;
    const [name, description, schema] = ["name", "description", "schema"].map((key) =>
      fieldOf(as, key),
    );
    // So the tool's own schema checks the arguments.
    return copyWith(tool, { name, description, schema, invoke: tool.invoke.bind(tool) });
  });
}

const UNSEEN = "[an image or a file, seen only where the tool is called outside of code]";

/** The output of the called tool is cleaned, but never offloaded. */
function callerOf(offloader: Offloader, site: CallSite, invoke: CallOther): InvokeTool {
  return async (call) => {
    const { name } = call;
    const failed = async (given: string): Promise<CalledTool> => {
      const { text } = await cleanText(offloader, given, { name });
      return { status: "failed", text: cutError(text) };
    };
    const besideOf = async (blocks: readonly unknown[]) => {
      const others = blocks.filter((block) => !isEmptied(block));
      const told = others.map((block) => textOf(block) ?? UNSEEN).join("\n");
      return told && (await cleanText(offloader, told, { name })).text;
    };
    if (hasAnswer(site.configurable)) return { status: "answer-waits" };
    try {
      const message = await invoke(call);
      if (isCommand(message)) return { status: "changes-state" };
      const { content: value } = message;
      const artifact: unknown = message.artifact;
      if (message.status === "error")
        return await failed(resultText({ outcome: "inline", value }) || "The tool failed.");
      if (isOffloadedMessage(message) && isStoredArtifact(artifact)) {
        // The tool may have set any session's here.
        const sessionKey = sessionKeyOf(sessionOfTool(site) ?? "");
        const stored = await offloader.store.stat(artifact.id, sessionKey);
        // The first block is the descriptor.
        if (stored !== undefined)
          return { status: "stored", stored, beside: await besideOf(listOf(value).slice(1)) };
      }
      const { text: came, keptBlocks } = unwrapOutput({ value, artifact });
      if (came === undefined)
        return keptBlocks.length > 0 ? { status: "no-text" } : { status: "returned" };
      const { text, isWithheld } = await cleanText(offloader, came, { name });
      const beside = await besideOf(keptBlocks);
      return { status: isWithheld ? "withheld" : "returned", text, beside };
    } catch (thrown) {
      // For null LangGraph's tests throw.
      const error = thrown ?? undefined;
      if (isGraphInterrupt(error)) return { status: "interrupts" };
      if (isGraphBubbleUp(error)) return { status: "changes-state" };
      return await failed(toolErrorText(thrown));
    }
  };
}

/**
 * Whether LangGraph holds a person's answer for the tool that asked. The next `interrupt()` would
 * take it, so a tool called here would run as if approved.
 */
function hasAnswer(configurable: CallSite["configurable"]): boolean {
  const pad = configurable?.["__pregel_scratchpad"];
  if (!isRecord(pad)) return false;
  const { resume, interruptCounter, nullResume } = pad;
  const taken = Number(interruptCounter) + 1;
  return nullResume !== undefined || (Array.isArray(resume) && resume.length > taken);
}
