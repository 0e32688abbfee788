import { type BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { DynamicStructuredTool } from "@langchain/core/tools";
import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { toolsCondition } from "@langchain/langgraph/prebuilt";
import * as z from "zod";

import type { ScriptedModel, ScriptedReply } from "../../src/testing/scripted-model.js";
import type { StoredArtifact } from "../../src/index.js";
import { calling, toolNamed } from "./agents.js";

interface Row {
  readonly number: number;
  readonly city: string;
  readonly note: string;
}

/** 800 records, some 15,000 tokens. */
export const rows: readonly Row[] = Array.from({ length: 800 }, (_, index) => ({
  number: index + 1,
  city: index % 2 === 0 ? "Rome" : "Oslo",
  note: `visit ${index * 7919}`,
}));

export const question: { readonly messages: { role: "user"; content: string }[] } = {
  messages: [{ role: "user", content: "How many in Rome?" }],
};

const rowsSchema: z.ZodObject<{ only: z.ZodOptional<z.ZodString> }> = z.object({
  only: z.string().optional(),
});

/** A tool that returns the rows, all or those of one city. */
export function rowsTool(
  name = "list_rows",
): DynamicStructuredTool<typeof rowsSchema, { only?: string | undefined }> {
  const wanted = (only: string | undefined): readonly Row[] =>
    only === undefined ? rows : rows.filter(({ city }) => city === only);
  return toolNamed(name, ({ only }) => JSON.stringify(wanted(only)), rowsSchema);
}

/** Counts the rows of Rome in the output that was offloaded last. */
export function countRome(messages: readonly BaseMessage[]): ScriptedReply {
  const id = artifactsOf(messages).at(-1)?.id ?? "none";
  const args = { id, filter: 'map(select(.city == "Rome")) | length', slurp: true };
  return calling("jq_tool_output", args);
}

export function toolMessages(messages: readonly BaseMessage[]): ToolMessage[] {
  return messages.filter((message) => ToolMessage.isInstance(message));
}

export function artifactsOf(messages: readonly BaseMessage[]): StoredArtifact[] {
  return toolMessages(messages).flatMap(({ artifact }) =>
    artifact !== undefined && "sessionKey" in artifact ? [artifact as StoredArtifact] : [],
  );
}

type State = typeof MessagesAnnotation.State;
type Update = typeof MessagesAnnotation.Update;
type Builder = StateGraph<
  typeof MessagesAnnotation.spec,
  State,
  Update,
  "__start__" | "model" | "tools"
>;

/** The loop that people write by hand: model, tools, model. */
export function handWrittenGraph(
  model: ScriptedModel,
  tools: readonly unknown[],
  node: unknown,
): Builder {
  const bound = model.bindTools(tools);
  return new StateGraph(MessagesAnnotation)
    .addNode("model", async ({ messages }, config) => ({
      messages: [await bound.invoke(messages, config)],
    }))
    .addNode("tools", node as (state: State) => Update)
    .addEdge(START, "model")
    .addConditionalEdges("model", toolsCondition, ["tools", END])
    .addEdge("tools", "model");
}
