import * as z from "zod";
import { type ContentBlock, type MessageContent, ToolMessage } from "@langchain/core/messages";
import {
  DynamicStructuredTool,
  type StructuredTool,
  type ToolRunnableConfig,
} from "@langchain/core/tools";

import { modelTools, type ToolAnswer } from "../../core/drill-in/model-tools.js";
import type { Offloader } from "../../core/pipeline/offloader.js";
import { callOf, openCalls } from "./run/tool-run.js";
import { Conversation, turnOf, windowTokensOf } from "./model-call/context.js";
import { customStream, listIn, type RunSite, sessionOfTool } from "./run/session.js";
import { readingCall } from "./run/reading-call.js";
import { carriedOf } from "./run/carried.js";
import { noteReadingTools } from "./tool/tell-unknown-tools.js";
import type { RunningCall } from "../../core/types/running-call.js";
import type { ShownMedia } from "../../core/types/media.js";
import { memoized } from "../../util/memoized.js";
import { SHOWN_METADATA } from "../../core/content/media/shown-media.js";

/**
 * The tools with which a model reads stored outputs: read, grep, jq and those that the options add, under the names in
 * the options. Bind them to the model beside your own. Each reaches only artifacts of the thread that calls it. Their
 * answers are bounded and never offloaded again. An answer that reports an error has the status `error`. Repeated calls
 * with one offloader return the same tools.
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used.
 */
export function createDrillInTools(offloader: Offloader): StructuredTool[] {
  noteReadingTools();
  return [...toolsOf(offloader)];
}

const toolsOf = memoized((offloader: Offloader): readonly StructuredTool[] => {
  const { toolNames, toolShapes } = offloader.options;
  return modelTools({ ...offloader, toolNames, toolShapes }).map(
    ({ name, description, parameters, run }) =>
      new DynamicStructuredTool({
        name,
        description,
        // Zod would add the JSON Schema version, which is of no use to a model.
        schema: z.unknown().meta({ ...parameters, $schema: undefined }),
        func: async (given: unknown, _run, config: ToolRunnableConfig = {}) => {
          const toolCallId = config.toolCall?.id;
          const place: RunSite = config;
          const answered = (answer: ToolAnswer): unknown =>
            toolCallId === undefined ? contentOf(answer) : answerMessage(answer, name, toolCallId);
          const { args, lost, call: reading } = await readingCall(offloader, place, given);
          if (lost !== undefined || reading === undefined)
            return answered({ text: lost ?? NO_SESSION, failed: true });
          const windowTokens = windowTokensOf(offloader, sessionOfTool(place));
          const call: RunningCall = {
            ...reading,
            toolCallId,
            state: callOf(config)?.callState,
            turn: turnOf(listIn(place.state)),
            turnCalls: openCalls(offloader, place.state).drillIns,
            conversation:
              windowTokens === undefined ? undefined : new Conversation(place.state, windowTokens),
            onEvent: customStream(place),
          };
          return answered(await run(args, call));
        },
      }),
  );
});

export function answerMessage(answer: ToolAnswer, name: string, toolCallId: string): ToolMessage {
  const { failed, kept = [], shown } = answer;
  const carried = kept.map(carriedOf);
  return new ToolMessage({
    content: contentOf(answer),
    name,
    tool_call_id: toolCallId,
    status: failed ? "error" : "success",
    ...(carried.length > 0 && { artifact: carried.length > 1 ? carried : carried[0] }),
    ...(shown !== undefined &&
      !failed && { response_metadata: { [SHOWN_METADATA]: { tokens: shown.tokens } } }),
  });
}

function contentOf({ text, failed, shown }: ToolAnswer): MessageContent {
  return shown === undefined || failed ? text : [{ type: "text", text }, standardBlock(shown)];
}

const NO_SESSION =
  "Stored outputs belong to a conversation, and this call has none. Call the tool that made the output again and ask it for less. The application has to pass configurable.thread_id when it invokes this tool.";

function standardBlock({ kind, type, base64, name }: ShownMedia): ContentBlock {
  const carried = { mimeType: type, data: base64 };
  if (kind === "pdf" || kind === "file")
    return { type: "file", ...carried, metadata: { filename: name } };
  return { type: kind, ...carried };
}
