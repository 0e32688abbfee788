import { randomUUID } from "node:crypto";

import type { ToolMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import type { StructuredTool } from "@langchain/core/tools";
import type { Command, LangGraphRunnableConfig } from "@langchain/langgraph";
import { ToolNode, type ToolNodeOptions } from "@langchain/langgraph/prebuilt";
import * as z from "zod";

import type { Offloader } from "../../offload/create-offloader.js";
import { checkedOptions, optionsByName, objectOf, optionsOf } from "../../util/option-rules.js";
import { conversationSize } from "./run/conversation.js";
import { customStream } from "./run/custom-stream.js";
import { createDrillInTools } from "./drill-in-tools.js";
import { type GivenOffloader, givenOffloader } from "./given-offloader.js";
import { acceptingReferences } from "./references/accepting-references.js";
import { failureMessage } from "./tool/failure-message.js";
import { resolveArguments } from "./references/references.js";
import { metadataOf, overridesOf } from "./run/run-overrides.js";
import { configFor, startCall } from "./running-call.js";
import { sessionOfTool } from "./run/session.js";
import { messagesOf } from "./run/state-messages.js";
import { underOffloader } from "./tool/tool-calls.js";
import { offloadToolResult, withShortError } from "./tool/tool-message.js";
import { inTurn } from "./run/turn.js";

/** Options of a tool node, and those of its offloader. */
export interface OffloadToolNodeOptions extends GivenOffloader {
  /** Name, tags and `handleToolErrors` of the node. @defaultValue those of the given node */
  readonly node?: ToolNodeOptions;
  /**
   * With `false` the node does not run the drill-in tools; another node has to.
   *
   * @defaultValue `true`
   */
  readonly registerTools?: boolean;
}

const schema = optionsOf({
  registerTools: z.boolean().optional(),
  node: optionsByName(z.unknown()).optional(),
});

/** A `ToolNode` whose large tool outputs are offloaded. */
export interface OffloadToolNode extends ToolNode {
  /** The tools that read stored outputs. Bind them to the model beside your own. */
  readonly drillInTools: readonly StructuredTool[];
  readonly offloader: Offloader;
}

/**
 * A `ToolNode` for hand-written graphs that keeps large tool outputs out of the messages: it stores
 * them, puts a descriptor in their place, and runs the drill-in tools. Bind `node.tools` to the
 * model: your tools and, after them, the drill-in tools. Given a `ToolNode`, the new node calls
 * tools through its `runTool` and leaves the given one as it is.
 *
 * `configurable.offload` and `context.offload` override options for one run, a tool's
 * `metadata.offload` for its calls. Events of a run are on LangGraph's custom stream.
 *
 * Artifacts belong to the thread (`configurable.thread_id`). Without one each call has a session of
 * its own, and drill-ins reach what the messages of the graph's state carry.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used.
 */
export function offloadToolNode(
  tools: ToolNode["tools"] | ToolNode,
  options: OffloadToolNodeOptions = {},
): OffloadToolNode {
  const inner = tools instanceof ToolNode && !isPlain(tools) ? tools : undefined;
  const {
    registerTools: asked,
    node: nodeOptions,
    ...given
  } = objectOf("offloadToolNode", options);
  const { registerTools = true, node } = checkedOptions<OffloadToolNodeOptions>(
    "offloadToolNode",
    schema,
    { registerTools: asked, node: nodeOptions },
  );
  const offloader = givenOffloader(given);
  const drillInTools = createDrillInTools(offloader);
  const own = tools instanceof ToolNode ? tools.tools : tools;
  const attended = own.map((tool) => underOffloader(tool, offloader));
  const ownNames = new Set(own.map((tool) => tool.name));
  const added = registerTools ? drillInTools.filter((tool) => !ownNames.has(tool.name)) : [];
  const shown = attended.map((tool) => acceptingReferences(tool, offloader));
  return new OffloadingToolNode([...shown, ...added], {
    inner,
    offloader,
    drillInTools,
    nodeOptions: { ...nodeOptionsOf(tools instanceof ToolNode ? tools : undefined), ...node },
  });
}

/** Whether a node runs tools in LangGraph's own way. */
function isPlain(node: ToolNode): boolean {
  return node["runTool"] === ToolNode.prototype["runTool"];
}

function nodeOptionsOf(node: ToolNode | undefined): ToolNodeOptions {
  if (node === undefined) return {};
  const { handleToolErrors, name, config } = node;
  return {
    handleToolErrors,
    ...(name !== undefined && { name }),
    ...(config?.tags !== undefined && { tags: config.tags }),
  };
}

interface NodeParts {
  readonly inner: ToolNode | undefined;
  readonly offloader: Offloader;
  readonly drillInTools: readonly StructuredTool[];
  readonly nodeOptions: ToolNodeOptions;
}

class OffloadingToolNode extends ToolNode implements OffloadToolNode {
  readonly offloader: Offloader;
  readonly drillInTools: readonly StructuredTool[];
  readonly #inner: ToolNode | undefined;

  constructor(
    tools: ToolNode["tools"],
    { inner, offloader, drillInTools, nodeOptions }: NodeParts,
  ) {
    super(tools, nodeOptions);
    this.#inner = inner;
    this.offloader = offloader;
    this.drillInTools = drillInTools;
  }

  protected override async runTool(
    call: ToolCall,
    config: LangGraphRunnableConfig,
    state: unknown,
  ): Promise<ToolMessage | Command> {
    const tool = this.tools.find(({ name }) => name === call.name);
    const begun = { toolCallId: call.id, signal: config.signal };
    return await inTurn(this.offloader, messagesOf(state), begun, async (turn) => {
      const isDrillIn = this.drillInTools.some((drillIn) => drillIn === tool);
      const sessionId = sessionOfTool({ configurable: config.configurable, state }) ?? randomUUID();
      const answered = {
        toolName: call.name,
        args: call.args,
        sessionId,
        ...turn,
        conversation: conversationSize(messagesOf(state), undefined),
        overrides: overridesOf(config, tool),
        metadata: metadataOf(tool),
        onEvent: customStream(config),
      };
      const running = startCall(this.offloader, { ...answered, toolCallId: call.id });
      const configured = configFor(config, running);
      const result =
        this.#inner === undefined || isDrillIn
          ? await super.runTool(call, configured, state)
          : await this.#runInner(this.#inner, call, configured, state);
      // What a tool returns directly is the user's answer, not the model's input.
      if (tool !== undefined && "returnDirect" in tool && tool.returnDirect) return result;
      return await offloadToolResult(this.offloader, result, { ...answered, running });
    });
  }

  /** Resolves what the tools of this node resolve by themselves. */
  async #runInner(
    inner: ToolNode,
    call: ToolCall,
    config: LangGraphRunnableConfig,
    state: unknown,
  ): Promise<ToolMessage | Command> {
    const { configurable, signal } = config;
    const referred = await resolveArguments(this.offloader, {
      toolName: call.name,
      tool: inner.tools.find(({ name }) => name === call.name),
      args: call.args,
      configurable,
      state,
      signal,
    });
    if (referred?.problem !== undefined) {
      return failureMessage(referred.problem, call.name, call.id ?? "");
    }
    if (referred === undefined) return await inner["runTool"](call, config, state);
    return withShortError(await inner["runTool"]({ ...call, args: referred.args }, config, state));
  }
}
