import { type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import { MemorySaver } from "@langchain/langgraph";
import { createAgent, tool } from "langchain";
import * as z from "zod";

import { scriptedModel, type ScriptedReply } from "../../src/testing/index.js";
import type { OpenSide, Side, ToolCall } from "./side.js";

/** A thread of a real agent with one side's middleware; a script decides what is called. */
export interface Conversation {
  /**
   * Calls a tool that returns this value, or what it makes of the call's id, once for each id, all in one turn, and gives the messages that
   * the model sees. Rejects when the agent's run does.
   */
  produce(value: unknown, callIds?: readonly string[]): Promise<readonly ToolMessage[]>;
  /** Calls one of the side's own tools, and gives its answer's text. */
  ask(call: ToolCall): Promise<string>;
  /** Sends a human message, and gives what the model was sent of it. */
  say(text: string): Promise<string>;
  /** Definitions of the tools that the model is shown, as a provider gets them. */
  toolDefinitions(): Promise<readonly unknown[]>;
  /** Bytes of the newest checkpoint, with all state that is in it. */
  checkpointBytes(): Promise<number>;
}

const PRODUCE = "produce";

/** Threads of one agent share the side's store. Turns are not kept from call to call without `keep`. */
export function startAgent(
  side: OpenSide,
  { keep = false }: { readonly keep?: boolean } = {},
): (threadId: string) => Conversation {
  const checkpointer = new MemorySaver();
  let value: unknown;
  let reply: ScriptedReply = "Done.";
  let shown: readonly unknown[] = [];
  const model = scriptedModel([() => reply]);
  const bind = model.bindTools?.bind(model);
  model.bindTools = (tools, options) => {
    shown = tools;
    return bind?.(tools, options) ?? model;
  };
  const produce = tool(
    (_, { toolCall }) => (typeof value === "function" ? value(toolCall.id) : value),
    { name: PRODUCE, description: "Data.", schema: z.object({}) },
  );
  const agent = createAgent({
    model,
    tools: [produce],
    middleware: [side.middleware],
    ...(keep && { checkpointer }),
  });

  return (threadId) => {
    const config = { configurable: { thread_id: threadId } };
    let calls = 0;

    async function run(text: string, next: ScriptedReply): Promise<readonly BaseMessage[]> {
      reply = next;
      const { messages } = await agent.invoke({ messages: [new HumanMessage(text)] }, config);
      return messages.slice(messages.findLastIndex((one) => HumanMessage.isInstance(one)));
    }

    async function call(
      name: string,
      args: object,
      ids: readonly string[],
    ): Promise<ToolMessage[]> {
      const toolCalls = ids.map((id) => ({ name, args: { ...args }, id }));
      return (await run("Go on.", { toolCalls })).filter((one) => ToolMessage.isInstance(one));
    }

    return {
      produce: async (given, callIds = [`${threadId}_${(calls += 1)}`]) => {
        value = given;
        return await call(PRODUCE, {}, callIds);
      },
      ask: async ({ name, args }) =>
        (await call(name, args, [`${threadId}_${(calls += 1)}`]))[0]?.text ?? "",
      say: async (text) => {
        await run(text, "Done.");
        return model.requests.at(-1)?.findLast((one) => HumanMessage.isInstance(one))?.text ?? "";
      },
      toolDefinitions: async () => {
        await run("Hello.", "Done.");
        return shown
          .map((one) => convertToOpenAITool(one as Parameters<typeof convertToOpenAITool>[0]))
          .filter(({ function: { name } }) => name !== PRODUCE);
      },
      checkpointBytes: async () => {
        const newest = await checkpointer.getTuple(config);
        if (newest === undefined) throw new Error("There is no checkpoint.");
        const [, bytes] = await checkpointer.serde.dumpsTyped(newest.checkpoint);
        return bytes.length;
      },
    };
  };
}

/** Follows a side's reading tool from the first call to the last, and gives every answer. */
export async function readWhole(
  side: Side,
  conversation: Conversation,
  place: string,
): Promise<readonly string[]> {
  const answers: string[] = [];
  for (let call: ToolCall | undefined = side.read(place); call !== undefined;) {
    const answer = await conversation.ask(call);
    answers.push(answer);
    call = side.next(answer, place);
  }
  return answers;
}
