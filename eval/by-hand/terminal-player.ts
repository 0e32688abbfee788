import type { BaseMessage } from "@langchain/core/messages";

import { typedCall } from "../../src/cli/model-view.js";
import type { Exchange, PlayerEvent } from "./exchange.js";
import type { TaskPlace } from "./http-player.js";
import { lastAnswers, messageViews } from "./message-view.js";
import type { Action, ToolDefinition, Turn } from "./seat-model.js";

/** Where a person reads and types. */
export interface Terminal {
  /** Begins to read: what comes earlier waits. */
  readonly lines: () => AsyncIterable<string>;
  readonly out: (text: string) => void;
}

const HELP =
  'Calls: TOOL {"argument": …}, or short: jq length. Answer: answer VALUE. The tools again: help. End: exit.\n';

/** Plays the model from lines that somebody types, until all tasks are done, `exit`, or the end of the lines. */
export async function playInTerminal(
  exchange: Exchange,
  placeOf: () => TaskPlace,
  { lines, out }: Terminal,
): Promise<void> {
  let event = await exchange.next();
  if (event !== "over") show(event, placeOf(), out);
  for await (const line of lines()) {
    if (event === "over" || line.trim() === "exit") return;
    if (line.trim() === "help") out(toolText(event.tools));
    const action = actionIn(line.trim(), event);
    if (action === undefined) continue;
    if ("problem" in action) {
      out(`${action.problem}\n`);
      continue;
    }
    const before = placeOf().id;
    const after: PlayerEvent = (await exchange.act(action)) ?? event;
    if (after === "over") return;
    if (placeOf().id === before) out(`${lastAnswers(after.messages).join("\n")}\n`);
    else show(after, placeOf(), out);
    event = after;
  }
}

function actionIn(line: string, turn: Turn): Action | { readonly problem: string } | undefined {
  if (line === "" || line === "help") return undefined;
  const [, answer] = /^answer\s+([\s\S]+)$/i.exec(line) ?? [];
  if (answer !== undefined) return { answer: valueOf(answer) };
  return typedCall(line, turn.tools, firstId(turn.messages));
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The stored output that a short call means. */
function firstId(messages: readonly BaseMessage[]): string | undefined {
  for (const message of messages) {
    const id: unknown = Reflect.get(Object(Reflect.get(message, "artifact")), "id");
    if (typeof id === "string") return id;
  }
  return undefined;
}

function show(turn: Turn, { id, number, of }: TaskPlace, out: Terminal["out"]): void {
  const messages = messageViews(turn.messages).map(({ role, tool, content, calls }) => {
    const made = calls?.map(({ tool, args }) => `${tool} ${JSON.stringify(args)}`).join("; ");
    return `${role}${tool === undefined ? "" : ` ${tool}`}: ${made ?? content}\n`;
  });
  out(`\n== Task ${number} of ${of}: ${id} ==\n${messages.join("")}${toolText(turn.tools)}`);
}

function toolText(tools: readonly ToolDefinition[]): string {
  return `${tools.map((tool) => `${JSON.stringify(tool)}\n`).join("")}${HELP}`;
}
