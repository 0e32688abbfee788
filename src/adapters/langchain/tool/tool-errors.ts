import type { ToolMessage } from "@langchain/core/messages";
import { ToolInputParsingException } from "@langchain/core/tools";
import { isGraphBubbleUp } from "@langchain/langgraph";
import { MiddlewareError, type ToolCallRequest, ToolInvocationError } from "langchain";

import { cleanBeside, cleanValue } from "../../../core/clean/clean-output.js";
import { CleanFault, withheldSentence } from "../../../core/clean/cleaner.js";
import { unwrapOutput } from "../../../core/content/unwrap.js";
import { internals, type Offloader } from "../../../core/pipeline/offloader.js";
import { grouped } from "../../../util/amounts.js";
import { wholeCharactersEnd } from "../../../util/safe-text.js";
import { outputOfMessage, type ToolRun } from "../run/tool-run.js";
import type { ToolOutput } from "../../../core/types/output.js";
import { copyWith } from "../../../util/copy-with.js";
import { stringOf } from "../../../util/as-kind.js";
import { fieldOf } from "../../../util/field-of.js";
import { contentOf, messageWith } from "./messages.js";

const BRAND = "~brand";
const made = new WeakSet<object>();

type FailedCall = Pick<ToolCallRequest, "toolCall" | "runtime">;

/**
 * An error that another middleware throws ends a run in LangChain, and does so here.
 * @param call - As the model wrote it, before references are replaced by data.
 */
export async function guarded<Result>(
  run: () => Result | Promise<Result>,
  call: FailedCall,
  offloader: Offloader,
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (!MiddlewareError.isInstance(error) || made.has(error))
      throw await asToolError(error, call, offloader);
    const { text } = await cleanText(offloader, error.message, call.toolCall);
    throw text === error.message ? error : new Error(text);
  }
}

/**
 * With any `wrapToolCall` a tool's error ends the run instead of reaching the model, unless a `ToolInvocationError`
 * ends a chain of `MiddlewareError`s. The result is such a chain and keeps the error's class, and that of its cause,
 * for an outer retry. The given error is not changed, because an application may throw one object for many
 * users. Interrupts and abort errors are returned as they are.
 */
export async function asToolError(
  error: unknown,
  { toolCall, runtime }: FailedCall,
  offloader: Offloader,
): Promise<unknown> {
  if (isGraphBubbleUp(error ?? undefined) || runtime.signal?.aborted || made.has(Object(error)))
    return error;
  const clean = async (text: string) => (await cleanText(offloader, text, toolCall)).text;
  const refused = ToolInvocationError.isInstance(error) ? error.toolError : error;
  const told = new ToolInvocationError(refused, toolCall);
  made.add(told);
  if (refused !== error || refused instanceof ToolInputParsingException) {
    told.message = cutError(await clean(told.message));
    return told;
  }
  // Reading the class's own message would include the stack.
  told.message = `${cutError(await clean(String(error)))}\n Please fix your mistakes.`;
  if (!(error instanceof Error)) return told;
  const cause = error.cause instanceof Error ? error.cause : error;
  const shown = copyWith(error, {
    message: await clean(toolErrorText(error)),
    cause: copyWith(cause, { message: told.message, [BRAND]: "ToolInvocationError" }),
    [BRAND]: "MiddlewareError",
  });
  made.add(shown);
  return shown;
}

/** Throws again what a tool threw, cleaned and cut. */
export function throwingShort({
  offloader,
  output: { toolName: name, toolCallId: id },
}: Pick<ToolRun, "offloader" | "output">): (error: unknown) => Promise<never> {
  const shown = async (text: string) =>
    cutError((await cleanText(offloader, text, { name, id })).text);
  return async (error) => {
    if (isGraphBubbleUp(error ?? undefined)) throw error;
    const told = toolErrorText(error);
    const message = await shown(told);
    if (message === told) throw error;
    const given = error instanceof Error ? error : new Error(message);
    // For wrong arguments LangChain shows the stack, which contains the message.
    throw copyWith(given, { message, stack: given.stack && (await shown(given.stack)) });
  };
}

export async function shownError(message: ToolMessage, call: ToolRun): Promise<ToolMessage> {
  const given = outputOfMessage(call, message);
  const { host, admits } = internals(call.offloader);
  const cleaner = host.cleanerOf(given);
  let { artifact } = given;
  // Text in the artifact is not part of the error.
  let output: ToolOutput = { ...given, artifact: undefined };
  try {
    if (cleaner) {
      ({ artifact } = await cleanBeside(given, cleaner));
      output = await cleanValue(output, cleaner);
    }
  } catch (error) {
    if (!(error instanceof CleanFault)) throw error;
    return messageWith(message, { content: withheldSentence(given.toolName), artifact: undefined });
  }
  const { text = "", keptBlocks } = unwrapOutput(output);
  const shown = admits(given) ? cutError(text) : text;
  const isSame = shown === text && output.value === given.value;
  if (isSame && artifact === given.artifact) return message;
  const content = isSame ? message.content : contentOf({ text: shown, keptBlocks });
  return messageWith(message, { content, artifact });
}

export async function cleanText(
  offloader: Offloader,
  text: string,
  { name: toolName, id: toolCallId }: { readonly name: string; readonly id?: string | undefined },
): Promise<{ readonly text: string; readonly isWithheld: boolean }> {
  const cleaner = internals(offloader).host.cleanerOf({ toolName, toolCallId });
  if (cleaner === undefined) return { text, isWithheld: false };
  try {
    return { text: await cleaner.text(text, "output"), isWithheld: false };
  } catch (error) {
    if (!(error instanceof CleanFault)) throw error;
    return { text: withheldSentence(toolName), isWithheld: true };
  }
}

/** In UTF-16 code units. */
const MAX_ERROR_CHARACTERS = 8000;
/** What is cut once stays as it is. */
const END_CHARACTERS = 3900;

export function cutError(text: string): string {
  if (text.length <= MAX_ERROR_CHARACTERS) return text;
  const size = grouped(text.length);
  const head = text.slice(0, wholeCharactersEnd(text, END_CHARACTERS));
  const tail = text.slice(wholeCharactersEnd(text, text.length - END_CHARACTERS));
  return `${head}\n[cut: this error has ${size} characters, here is its end]\n${tail}`;
}

export function toolErrorText(thrown: unknown): string {
  const error: unknown = ToolInvocationError.isInstance(thrown) ? thrown.toolError : thrown;
  return stringOf(fieldOf(error, "message")) ?? String(error);
}
