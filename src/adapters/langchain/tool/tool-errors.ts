import { isGraphBubbleUp } from "@langchain/langgraph";
import { MiddlewareError, type ToolCallRequest, ToolInvocationError } from "langchain";
import { ToolMessage } from "@langchain/core/messages";
import { ToolInputParsingException } from "@langchain/core/tools";

import { cleanBeside, cleanValue } from "../../../core/content/clean/clean-output.js";
import { CleanFault, withheldSentence } from "../../../core/content/clean/cleaner.js";
import { unwrapOutput } from "../../../core/content/unwrap.js";
import { internals, type Offloader } from "../../../core/pipeline/offloader.js";
import { grouped } from "../../../util/amounts.js";
import { wholeCharactersEnd } from "../../../util/safe-text.js";
import { outputOfMessage, type ToolRun } from "../run/tool-run.js";
import { contentOf, messageWith } from "./messages.js";

/** By which LangChain knows its own errors, whichever copy of the package made them. */
const BRAND = "~brand";

/** Errors that were made here, which need nothing more. */
const made = new WeakSet<object>();

/**
 * Runs a call, and what it throws for the model is an error with which an agent goes on. An agent without middleware shows a tool's
 * error to the model; with any `wrapToolCall` the same error ends the run, unless a `ToolInvocationError` is at the end of a chain of
 * `MiddlewareError`s. What a middleware throws of its own accord ends a run in LangChain, and does so here.
 *
 * @param call - As the model wrote it: arguments may be data in place of a reference by now.
 */
export async function guarded<Result>(
  run: () => Result | Promise<Result>,
  call: Pick<ToolCallRequest, "toolCall" | "runtime">,
  offloader: Offloader,
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    const root = rootOf(error);
    if (root === error || ToolInvocationError.isInstance(root))
      throw await asToolError(root, call, offloader);
    const message = error instanceof Error ? error.message : String(error);
    const { text } = await cleanText(offloader, message, call.toolCall);
    throw text === message ? error : new Error(text);
  }
}

/**
 * The error to throw for a tool that threw. Middleware around the call finds its class, message and properties as they came, and its
 * cause in all but the message, which is what the model is told. It is a copy: an application may throw one object in the calls of
 * many users. Interrupts, and what is thrown at an abort, stay as they are.
 */
export async function asToolError(
  error: unknown,
  { toolCall, runtime }: Pick<ToolCallRequest, "toolCall" | "runtime">,
  offloader: Offloader,
): Promise<unknown> {
  if (isGraphBubbleUp(error) || runtime.signal?.aborted || made.has(Object(error))) return error;
  const clean = async (text: string): Promise<string> =>
    (await cleanText(offloader, text, toolCall)).text;
  const refused = ToolInvocationError.isInstance(error) ? error.toolError : error;
  if (refused !== error || refused instanceof ToolInputParsingException) {
    const wrong = new ToolInvocationError(refused, toolCall);
    wrong.message = cutError(await clean(wrong.message));
    made.add(wrong);
    return wrong;
  }
  // What an agent without middleware says; the message of the class carries the stack.
  const message = `${cutError(await clean(String(error)))}\n Please fix your mistakes.`;
  if (!(error instanceof Error))
    return Object.assign(new ToolInvocationError(error, toolCall), { message, cause: error });
  const cause = error.cause instanceof Error ? error.cause : error;
  const brand = "ToolInvocationError";
  return copyOf(error, {
    message: await clean(error.message),
    cause: copyOf(cause, { message, toolCall, toolError: error, [BRAND]: brand }),
    [BRAND]: "MiddlewareError",
  });
}

/** What a middleware threw, out of what LangChain puts around it; any other error is its own root. */
function rootOf(error: unknown): unknown {
  let root = error;
  while (MiddlewareError.isInstance(root) && !made.has(root)) root = root.cause;
  return root;
}

/** An error of the same class with other properties. What its code computes it computes on the given one, of which alone it may know. */
function copyOf(error: Error, properties: Readonly<Record<string, unknown>>): Error {
  const copy = new Error(error.message);
  // Not enumerable, as an error's message is: whoever prints the error does not print them.
  for (const [name, value] of Object.entries({ stack: error.stack, ...properties }))
    Object.defineProperty(copy, name, { value, writable: true, configurable: true });
  // Then, since V8 writes a stack with what the class says.
  Object.setPrototypeOf(copy, Object.getPrototypeOf(error));
  const shown = new Proxy(copy, {
    get: (own, key): unknown => Reflect.get(Object.hasOwn(own, key) ? own : error, key),
    has: (own, key) => key in own || key in error,
  });
  made.add(shown);
  return shown;
}

/** Runs a tool, which throws what it throws without its middle when that is long, and interrupts as they are. */
export async function throwingShort(run: () => Promise<unknown>): Promise<unknown> {
  try {
    return await run();
  } catch (error) {
    if (isGraphBubbleUp(error) || !(error instanceof Error)) throw error;
    const message = cutError(error.message);
    // LangChain shows the stack of wrong arguments, which has the message in it.
    throw message === error.message
      ? error
      : copyOf(error, { message, stack: error.stack && cutError(error.stack) });
  }
}

/** The message of a tool's error as the model is shown it: cleaned, and without its middle when it is long. */
export async function shownError(message: ToolMessage, call: ToolRun): Promise<ToolMessage> {
  const given = outputOfMessage(call, message);
  const { host, admits } = internals(call.offloader);
  const cleaner = host.cleanerOf(given);
  let { artifact } = given;
  // What stands beside a text in the artifact is no part of the error.
  let output = { ...given, artifact: undefined };
  try {
    if (cleaner) {
      ({ artifact } = await cleanBeside(given, cleaner));
      output = { ...(await cleanValue(output, cleaner)), artifact: undefined };
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

/** What the plug-ins leave of a text, or that it is withheld. */
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

/** Longest text of a tool's error that the model is shown, in UTF-16 code units. */
const MAX_ERROR_CHARACTERS = 8000;

/**
 * The text of a tool's error, without its middle when it is long: a validator may print the arguments themselves. The whole is
 * nowhere else, so both ends stay: one names the error, at the other are the last lines of a program or of a stack.
 */
export function cutError(text: string): string {
  if (text.length <= MAX_ERROR_CHARACTERS) return text;
  const size = grouped(text.length);
  const half = MAX_ERROR_CHARACTERS / 2;
  const head = text.slice(0, wholeCharactersEnd(text, half));
  const tail = text.slice(wholeCharactersEnd(text, text.length - half));
  return `${head}\n[cut: this error has ${size} characters, here is its end]\n${tail}`;
}

/** What a tool threw, in its own words: those of its schema for wrong arguments. */
export function toolErrorText(thrown: unknown): string {
  const root = rootOf(thrown);
  const error: unknown = ToolInvocationError.isInstance(root) ? root.toolError : root;
  return error instanceof Error ? error.message : String(error);
}

/** What went wrong, as the answer to a tool call. */
export function failureMessage(content: string, name: string, toolCallId: string): ToolMessage {
  return new ToolMessage({ content, name, tool_call_id: toolCallId, status: "error" });
}
