import { isGraphBubbleUp } from "@langchain/langgraph";
import { MiddlewareError, type ToolCallRequest, ToolInvocationError } from "langchain";
import { type ContentBlock, type MessageContent, ToolMessage } from "@langchain/core/messages";

import { aroundCall, type ToolLike } from "./around-call.js";
import { fieldOf } from "../../../util/field-of.js";
import { cleanBlock } from "../../../core/content/clean/clean-output.js";
import { type Cleaner, CleanFault, withheldSentence } from "../../../core/content/clean/cleaner.js";
import { internals, type Offloader } from "../../../core/pipeline/offloader.js";
import { outputOfMessage, type ToolRun } from "../run/tool-run.js";
import { messageWith } from "./messages.js";
import { grouped } from "../../../util/amounts.js";
import { wholeCharactersEnd } from "../../../util/safe-text.js";

/**
 * The error to throw for a tool that threw. An agent without middleware shows a tool's error to the
 * model and goes on; with any `wrapToolCall` the same error ends the run, unless a `ToolInvocationError` is at the end
 * of a chain of `MiddlewareError`s. So the error begins such a chain: middleware around this one finds its class, message
 * and properties as they came, and its cause in all but the message, which is what the model is told.
 * Interrupts, aborts and short errors that are one already stay as they are, and so does what a middleware threw of its
 * own accord: that ends a run in LangChain.
 */
export function asToolError(
  error: unknown,
  { toolCall, runtime }: Pick<ToolCallRequest, "toolCall" | "runtime">,
): unknown {
  if (isGraphBubbleUp(error) || runtime.signal?.aborted) return error;
  const thrown = rootOf(error);
  if (ToolInvocationError.isInstance(thrown)) {
    const isOfModel = thrown.toolCall.args === toolCall.args;
    if (isOfModel && cutError(thrown.message) === thrown.message) return error;
    // Its message repeats the arguments, which may be data in place of a reference: here are those of the model.
    const { message } = new ToolInvocationError(thrown.toolError, toolCall);
    return errorWith(thrown, { message: cutError(message), toolCall });
  }
  if (thrown !== error) return error;
  // What an agent without middleware says; the message of the class carries the stack.
  const message = `${cutError(String(error))}\n Please fix your mistakes.`;
  if (error instanceof Error) {
    const cause = error.cause instanceof Error ? error.cause : error;
    const told = errorWith(copyOf(cause), {
      message,
      toolCall,
      toolError: error,
      [BRAND]: "ToolInvocationError",
    });
    return errorWith(error, { cause: told, [BRAND]: "MiddlewareError" });
  }
  const shown = new ToolInvocationError(error, toolCall);
  return Object.assign(shown, { message, cause: error });
}

/** The same tool, which throws what it throws without its middle when that is long, and interrupts as they are. */
export function throwingShort<Tool extends ToolLike>(tool: Tool): Tool {
  return aroundCall(tool, ["invoke", "call"], async ({ run }) => {
    try {
      return await run();
    } catch (error) {
      if (isGraphBubbleUp(error) || !(error instanceof Error)) throw error;
      const message = cutError(error.message);
      // LangChain shows the stack of wrong arguments, which has the message in it.
      throw message === error.message
        ? error
        : errorWith(error, { message, stack: error.stack && cutError(error.stack) });
    }
  });
}

/** By which LangChain knows its own errors, whichever copy of the package made them. */
const BRAND = "~brand";

/** What a middleware threw, out of what LangChain puts around it; any other error is its own root. */
function rootOf(error: unknown): unknown {
  let root = error;
  while (MiddlewareError.isInstance(root)) root = root.cause;
  return root;
}

/** Errors of one call alone, which nobody else has. */
const own = new WeakSet<object>();

/**
 * The same request, whose tool throws errors of this call alone: an application may throw one object in the calls of many
 * users, and what a tool threw LangChain knows by its identity. Interrupts, and what is thrown at an abort, stay as they are.
 */
export function throwingOwn<Request extends ToolCallRequest>(request: Request): Request {
  const { tool, runtime } = request;
  if (!isCallable(tool)) return request;
  const throwing = aroundCall(tool, ["invoke"], async ({ run }) => {
    try {
      return await run();
    } catch (error) {
      const isGiven = isGraphBubbleUp(error) || runtime.signal?.aborted;
      throw isGiven || !(error instanceof Error) ? error : errorWith(error, {});
    }
  });
  return { ...request, tool: throwing };
}

/** An error with other properties: the given one where it is of one call alone, and otherwise a copy of the same class. */
function errorWith(error: Error, properties: Readonly<Record<string, unknown>>): Error {
  const changed = isOwn(error) ? error : copyOf(error);
  for (const [name, value] of Object.entries(properties)) {
    // Not enumerable, as an error's message is: whoever prints the error does not print them.
    Object.defineProperty(changed, name, { value, writable: true, configurable: true });
  }
  return changed;
}

/** LangChain makes one of its own of what does not fit a schema. */
function isOwn(error: Error): boolean {
  return own.has(error) || (ToolInvocationError.isInstance(error) && own.has(error.toolError));
}

/** As a native error, so that it is printed as one, and of one call alone. */
function copyOf(error: Error): Error {
  const copy = new Error();
  own.add(copy);
  // What it has of its own is computed from the class when it is replaced.
  Object.assign(copy, { stack: error.stack });
  Object.setPrototypeOf(copy, Object.getPrototypeOf(error));
  const keys = Reflect.ownKeys(error);
  // What its classes compute, as a DOMException does all that it says: such code may know the error itself alone.
  for (let one: unknown = Object.getPrototypeOf(error); one instanceof Error;) {
    const properties = Object.entries(Object.getOwnPropertyDescriptors(one));
    keys.push(...properties.flatMap(([key, property]) => ("get" in property ? [key] : [])));
    one = Object.getPrototypeOf(one);
  }
  for (const key of keys) {
    if (key === "stack") continue;
    const enumerable = Object.prototype.propertyIsEnumerable.call(error, key);
    let value: unknown;
    try {
      value = Reflect.get(error, key);
    } catch {
      // Code of an error may throw itself.
    }
    Object.defineProperty(copy, key, { value, enumerable, writable: true, configurable: true });
  }
  return copy;
}

function isCallable(tool: unknown): tool is ToolLike {
  return typeof fieldOf(tool, "name") === "string" && typeof fieldOf(tool, "invoke") === "function";
}

/** The message of a tool's error as the model is shown it: cleaned, and without its middle when it is long. */
export async function shownError(message: ToolMessage, call: ToolRun): Promise<ToolMessage> {
  const { content: given, artifact: own } = message;
  const { content, artifact } = await cleaned(message, call);
  const isIn = internals(call.offloader).admits(outputOfMessage(call, message));
  const shown = isIn ? cutContent(content) : content;
  return shown === given && artifact === own
    ? message
    : messageWith(message, { content: shown, artifact });
}

/** What the plug-ins leave of it; a sentence in its place where one fails. */
async function cleaned(
  { content: given, artifact: own }: ToolMessage,
  { offloader, toolName, toolCallId }: ToolRun,
): Promise<Pick<ToolMessage, "content" | "artifact">> {
  const cleaner = internals(offloader).host.cleanerOf({ toolName, toolCallId });
  if (cleaner === undefined) return { content: given, artifact: own };
  try {
    const content = await cleanedContent(given, cleaner);
    const artifact: unknown =
      own === undefined ? undefined : await cleaner.value<unknown>(own, "artifact");
    return { content, artifact };
  } catch (error) {
    if (!(error instanceof CleanFault)) throw error;
    return { content: withheldSentence(toolName), artifact: undefined };
  }
}

/** Of blocks, the texts are one where they are long together. */
function cutContent(content: MessageContent): MessageContent {
  if (typeof content === "string") return cutError(content);
  const text = content.flatMap((block) => textOf(block) ?? []).join("\n");
  const cut = cutError(text);
  if (cut === text) return content;
  return [{ type: "text", text: cut }, ...content.filter((block) => textOf(block) === undefined)];
}

function textOf(block: ContentBlock): string | undefined {
  return block.type === "text" && typeof block["text"] === "string" ? block["text"] : undefined;
}

/** The same of an error that a tool or a middleware has thrown. */
export async function redactedFault(error: unknown, call: ToolRun): Promise<unknown> {
  const { offloader } = call;
  if (internals(offloader).host.clean === undefined) return error;
  if (!ToolInvocationError.isInstance(error) && !MiddlewareError.isInstance(error)) return error;
  return await redactedChain(error);

  /** Each error of the chain is redacted: middleware reads the first one, the model the last one. */
  async function redactedChain(given: Error): Promise<Error> {
    const { text: message } = await cleanText(offloader, given.message, call);
    const cause =
      MiddlewareError.isInstance(given) && given.cause instanceof Error
        ? await redactedChain(given.cause)
        : given.cause;
    const isSameCause = cause === given.cause;
    return message === given.message && isSameCause
      ? given
      : errorWith(given, { message, ...(!isSameCause && { cause }) });
  }
}

async function cleanedContent(given: MessageContent, cleaner: Cleaner): Promise<MessageContent> {
  if (typeof given === "string") return await cleaner.text(given, "output");
  const blocks = await Promise.all(
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is redacted stays a block.
    given.map(async (block) => (await cleanBlock(block, cleaner)) as ContentBlock),
  );
  return blocks.every((block, index) => block === given[index]) ? given : blocks;
}

/** Of which call a text is. */
interface AboutText {
  readonly toolName: string;
  readonly toolCallId?: string | undefined;
}

/** What the plug-ins leave of a text, or that it is withheld. */
export async function cleanText(
  offloader: Offloader,
  text: string,
  about: AboutText,
): Promise<{ readonly text: string; readonly isWithheld: boolean }> {
  const cleaner = internals(offloader).host.cleanerOf(about);
  if (cleaner === undefined) return { text, isWithheld: false };
  try {
    return { text: await cleaner.text(text, "output"), isWithheld: false };
  } catch (error) {
    if (!(error instanceof CleanFault)) throw error;
    return { text: withheldSentence(about.toolName), isWithheld: true };
  }
}

/** Longest text of a tool's error that the model is shown, in UTF-16 code units. */
const MAX_ERROR_CHARACTERS = 8000;

/** Faults that a validator of arguments lists and the model is shown; the others are alike as a rule. */
const MAX_FAULTS = 3;
/** How zod begins the lines of a fault. */
const FAULT = "✖ ";
const PLACE = "  → at ";

/**
 * The text of a tool's error, without its middle when it is long, and with the first three of the faults that zod lists: a
 * validator may print a line for each of thousands of values, or the arguments themselves. The whole is nowhere else, so
 * both ends stay: one names the error, at the other are the last lines of a program or of a stack.
 */
export function cutError(given: string): string {
  const text = withFirstFaults(given);
  if (text.length <= MAX_ERROR_CHARACTERS) return text;
  const size = grouped(text.length);
  const half = MAX_ERROR_CHARACTERS / 2;
  const head = text.slice(0, wholeCharactersEnd(text, half));
  const tail = text.slice(wholeCharactersEnd(text, text.length - half));
  return `${head}\n[cut: this error has ${size} characters, here is its end]\n${tail}`;
}

function withFirstFaults(text: string): string {
  const lines = text.split("\n");
  const faults = lines.flatMap((line, index) => (line.startsWith(FAULT) ? [index] : []));
  const [first] = faults.slice(MAX_FAULTS);
  const last = faults.at(-1);
  if (first === undefined || last === undefined) return text;
  const after = lines[last + 1]?.startsWith(PLACE) === true ? last + 2 : last + 1;
  const more = `… and ${grouped(faults.length - MAX_FAULTS)} more`;
  return [...lines.slice(0, first), more, ...lines.slice(after)].join("\n");
}

/** Errors that stand around each other, at most. */
const MAX_DEPTH = 20;

/** What a tool threw, in its own words: those of its schema for wrong arguments. */
export function toolErrorText(thrown: unknown): string {
  let error = thrown;
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    const brand = fieldOf(error, "~brand");
    const inner =
      brand === "MiddlewareError"
        ? fieldOf(error, "cause")
        : brand === "ToolInvocationError"
          ? fieldOf(error, "toolError")
          : undefined;
    if (inner === undefined || inner === error) break;
    error = inner;
  }
  return error instanceof Error ? error.message : String(error);
}

/** What went wrong, as the answer to a tool call. */
export function failureMessage(content: string, name: string, toolCallId: string): ToolMessage {
  return new ToolMessage({ content, name, tool_call_id: toolCallId, status: "error" });
}
