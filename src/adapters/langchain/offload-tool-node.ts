import type { ToolMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import type { StructuredTool } from "@langchain/core/tools";
import type { Command, LangGraphRunnableConfig } from "@langchain/langgraph";
import { ToolNode, type ToolNodeOptions } from "@langchain/langgraph/prebuilt";

import type { Offloader } from "../../core/pipeline/offloader.js";
import { checkedOptions, rule } from "../../util/option-rules.js";
import type { AgentHooks, ToolRequest, ToolResult } from "./agent-hooks.js";
import { agentHooksOf, type CallOther, callWithHooks, presentedTools } from "./agent-host.js";
import { configFor, inTurn } from "./run/tool-run.js";
import { createDrillInTools } from "./drill-in-tools.js";
import { type GivenOffloader, givenOffloader } from "./given-offloader.js";
import type { CallSite } from "./run/session.js";
import { readingStreams } from "./tool/wrapped-tool.js";
import { unknownToolsTeller } from "./tool/tell-unknown-tools.js";
import { throwingShort } from "./tool/tool-errors.js";
import { offloadToolResult } from "./tool/tool-message.js";

const toolsOrNode = rule(
  (given) => Array.isArray(given) || given instanceof ToolNode,
  "a list of tools, or a ToolNode, as the first argument",
);

/** A `ToolNode` whose large tool outputs are offloaded. */
export interface OffloadToolNode extends ToolNode {
  /** The tools that read stored outputs. Bind them to the model beside your own. */
  readonly drillInTools: readonly StructuredTool[];
  readonly offloader: Offloader;
}

/**
 * A `ToolNode` for hand-written graphs that keeps large tool outputs out of the messages. It stores them, puts a
 * descriptor in their place, and runs the drill-in tools. Bind `node.tools` to the model: your tools and, after them,
 * the drill-in tools. If you pass a `ToolNode`, the new node calls tools through its `runTool` and does not change it.
 * `configurable.offload` overrides options for one run.
 * Events of a run are on LangGraph's custom stream. Artifacts belong to the thread (`configurable.thread_id`). Without
 * one each call has its own session, and drill-ins reach what the messages of the graph's state carry.
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used.
 */
export function offloadToolNode(
  tools: ToolNode["tools"] | ToolNode,
  options: GivenOffloader = {},
): OffloadToolNode {
  checkedOptions("offloadToolNode", toolsOrNode, tools);
  const node = tools instanceof ToolNode ? tools : undefined;
  const isPlain = node?.["runTool"] === ToolNode.prototype["runTool"];
  const { offloader, isShared } = givenOffloader("offloadToolNode", options);
  const own = tools instanceof ToolNode ? tools.tools : tools;
  const hooks = agentHooksOf(offloader, false);
  unknownToolsTeller(offloader, hooks, isShared)(own);
  const streaming = own.map((tool) => readingStreams(tool, offloader));
  const shown = presentedTools([...streaming, ...createDrillInTools(offloader)], hooks);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- those that stand behind the given.
  const drillInTools = shown.slice(own.length) as StructuredTool[];
  const ownNames = new Set(own.map((tool) => tool.name));
  const added = drillInTools.filter((tool) => !ownNames.has(tool.name));
  return new OffloadingToolNode(
    [...shown.slice(0, own.length), ...added],
    {
      inner: isPlain ? undefined : node,
      given: new Map([...own, ...drillInTools].map((tool) => [tool.name, tool])),
      offloader,
      hooks,
      drillInTools,
    },
    node && nodeOptionsOf(node),
  );
}

function nodeOptionsOf({ handleToolErrors, name, config }: ToolNode): ToolNodeOptions {
  const { tags } = config ?? {};
  return { handleToolErrors, ...(name && { name }), ...(tags && { tags }) };
}

interface NodeParts {
  readonly inner: ToolNode | undefined;
  readonly offloader: Offloader;
  readonly given: ReadonlyMap<string, unknown>;
  readonly hooks: readonly AgentHooks[];
  readonly drillInTools: readonly StructuredTool[];
}

class OffloadingToolNode extends ToolNode implements OffloadToolNode {
  readonly offloader: Offloader;
  readonly drillInTools: readonly StructuredTool[];
  readonly #parts: NodeParts;

  constructor(tools: ToolNode["tools"], parts: NodeParts, options?: ToolNodeOptions) {
    super(tools, options);
    this.#parts = parts;
    this.offloader = parts.offloader;
    this.drillInTools = parts.drillInTools;
  }

  protected override async runTool(
    call: ToolCall,
    config: LangGraphRunnableConfig,
    state: unknown,
  ): Promise<ToolMessage | Command> {
    const tool = this.tools.find(({ name }) => name === call.name);
    const isDrillIn = this.drillInTools.some((drillIn) => drillIn === tool);
    const { name: toolName, args, id: toolCallId } = call;
    const called = { tool: this.#parts.given.get(toolName), toolName, args, toolCallId };
    const site: CallSite = { ...config, state, ...called };
    const callOther: CallOther = (other) =>
      this.#runOwn({ ...other, type: "tool_call" }, config, state);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the middleware of an agent is given.
    const request = { toolCall: call, tool, state, runtime: config } as unknown as ToolRequest;
    const { offloader, hooks } = this.#parts;
    return await inTurn(offloader, site, async (running) => {
      const calling = { call: running, hooks, site, callOther };
      const configured = configFor(config, running);
      const run = async ({ toolCall: { args: changed } }: ToolRequest): Promise<ToolResult> => {
        const own = changed === args ? call : { ...call, args: changed };
        const result = isDrillIn
          ? await super.runTool(own, configured, state)
          : await this.#runOwn(own, configured, state);
        return await offloadToolResult(result, running);
      };
      return await callWithHooks(calling, request, run).catch(throwingShort(running));
    });
  }

  async #runOwn(
    call: ToolCall,
    config: LangGraphRunnableConfig,
    state: unknown,
  ): Promise<ToolMessage | Command> {
    const { inner } = this.#parts;
    return inner === undefined
      ? await super.runTool(call, config, state)
      : await inner["runTool"](call, config, state);
  }
}
