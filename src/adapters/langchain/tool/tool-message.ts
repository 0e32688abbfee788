import { repeatsMedia } from "../../../core/content/structured-content.js";
import { type MessageContent, ToolMessage } from "@langchain/core/messages";
import { type Command, isCommand, Overwrite, Send } from "@langchain/langgraph";

import type { CarriedArtifact, StoredArtifact } from "../../../core/types/artifact.js";
import type { ToolOutput } from "../../../core/types/output.js";
import {
  type ChangedFields,
  CLEANED,
  contentOf,
  DESCRIPTOR,
  isScreenshot,
  knownAmong,
  messageWith,
  SHORTENED,
  toolMessageOf,
  toolMessagesOf,
  sentTo,
  targetsOf,
  updatesOf,
  withUpdates,
} from "./messages.js";
import { tellLackingTools } from "./tell-unknown-tools.js";
import { shownError } from "./tool-errors.js";
import { messagesOf } from "../run/session.js";
import { outputOfMessage, tellAll, type ToolRun } from "../run/tool-run.js";
import { isPreBudgetSet } from "../../../core/content/mif/memory-schema.js";
import { isPlain } from "../../../core/content/value/any-json.js";
import { resultText } from "../../../core/pipeline/inline.js";
import { internals, type Offloader } from "../../../core/pipeline/offloader.js";
import { carriedOf, STORED_IN_METADATA } from "../run/carried.js";
import { fieldOf } from "../../../util/field-of.js";
import type { JsonObject } from "../../../util/is-record.js";

/** Messages that need not be looked at again: offloaded ones, and by its offloader each that stayed inline. */
export const passed: WeakMap<ToolMessage, Offloader | "offloaded"> = new WeakMap();

export function offloadedMessage(
  fields: ConstructorParameters<typeof ToolMessage>[0],
): ToolMessage {
  const message = new ToolMessage(fields);
  passed.set(message, "offloaded");
  return message;
}

export function isOffloadedMessage(message: ToolMessage): boolean {
  return passed.get(message) === "offloaded";
}

export async function offloadToolResult<Result>(
  result: Result,
  call: ToolRun,
): Promise<Result | ToolMessage | Command> {
  if (ToolMessage.isInstance(result)) return await offloadMessage(result, call);
  if (isCommand(result)) return await offloadCommand(result, callOfNew(call, result));
  return result;
}

export async function offloadMessage(
  message: ToolMessage,
  call: ToolRun | undefined,
): Promise<ToolMessage> {
  if (call === undefined) return message;
  const isPassed = isOffloadedMessage(message) || passed.get(message) === call.offloader;
  if (isPassed || isScreenshot(message)) {
    // It takes nothing from the turn's budget.
    call.output.slot?.end(false);
    return message;
  }
  if (message.status === "error") {
    const told = await shownError(message, call);
    return call.stored.length === 0 ? told : withSaid(told, pointersTo(call.stored));
  }
  const offloaded = await offloadOutput(outputOfMessage(call, message), call);
  const { content = message.content, artifact, isInline, said } = offloaded;
  const isSame = content === message.content && artifact === message.artifact && !said;
  const shown = isSame && isInline ? message : withSaid(message, said, { content, artifact });
  passed.set(shown, isInline ? call.offloader : "offloaded");
  return shown;
}

function withSaid(
  message: ToolMessage,
  said: OffloadedOutput["said"],
  fields: ChangedFields = {},
): ToolMessage {
  const response_metadata = { ...message.response_metadata, ...said };
  return messageWith(message, { ...fields, response_metadata });
}

interface OffloadedOutput {
  readonly content: MessageContent | undefined;
  readonly artifact: unknown;
  readonly isInline: boolean;
  /** For code, where it is inline. */
  readonly left?: unknown;
  /** For the message's `response_metadata`. */
  readonly said?: JsonObject | undefined;
}

export async function offloadOutput(output: ToolOutput, call: ToolRun): Promise<OffloadedOutput> {
  const { offloader, stored, offloaded, onEvent, staysWhole } = call;
  const { perTool } = offloader.options;
  const { value, artifact: given } = output;
  const cleaned = internals(offloader).host.cleanerOf(output) && { [CLEANED]: true };
  if (offloaded.has(value)) {
    output.slot?.end(false);
    const said = { ...cleaned, ...descriptorMark(value) };
    return { ...besideStored(given, stored, said), content: undefined, isInline: false };
  }
  const whole = staysWhole && { overrides: { enabled: false } };
  const entering =
    whole || offloaded.size > 0 ? { ...output, cleanTexts: offloaded, ...whole } : output;
  const result = await offloader.offload(entering, onEvent);
  const { media = [] } = result;
  for (const one of media) noteStored(stored, one);
  const came = "artifact" in result ? result.artifact : given;
  const [entry, ...more] = Array.isArray(came) ? came : [];
  const isStored = media.length > 0 && more.length === 0;
  const own = isStored && repeatsMedia(fieldOf(entry, "data"), value) ? undefined : came;
  if (result.outcome === "offloaded") {
    const { storedArtifact } = result;
    const { selectResultSet } = perTool.get(output.toolName) ?? offloader.options;
    const carried = {
      ...carriedOf(storedArtifact),
      ...ownArtifact(own, selectResultSet !== undefined),
    };
    if (carried.toolArtifactLeftOut) {
      const { id: artifactId, toolName, sessionKey } = storedArtifact;
      const about = { toolName, toolCallId: output.toolCallId, sessionKey, artifactId };
      tellAll(call, { type: "artifact-left-out", ...about });
    }
    tellLackingTools(offloader, output.toolName);
    const artifact = stored.length === 0 ? carried : [carried, ...stored];
    const content = contentOf(result);
    return { content, artifact, isInline: false, said: { ...cleaned, ...descriptorMark(content) } };
  }
  if (result.outcome === "truncated") {
    const said = { ...cleaned, [SHORTENED]: true };
    return { ...besideStored(own, stored, said), content: contentOf(result), isInline: false };
  }
  const { text, value: left, keptBlocks = [] } = result;
  const beside = besideStored(own, stored, cleaned);
  if (text !== undefined) {
    const content = contentOf({ text, keptBlocks });
    return { ...beside, content, isInline: true, left: content };
  }
  // As LangChain judges it.
  const areBlocks = Array.isArray(left) && left.every((one) => fieldOf(one, "type") !== undefined);
  const shown = areBlocks ? (left as MessageContent) : undefined;
  const content = left === value ? undefined : (shown ?? resultText(result));
  return { ...beside, content, isInline: true, left };
}

function descriptorMark(content: unknown) {
  return typeof content === "string" ? { [DESCRIPTOR]: content.length } : undefined;
}

export function noteStored(stored: CarriedArtifact[], artifact: StoredArtifact): void {
  if (stored.every(({ id }) => id !== artifact.id)) stored.push(carriedOf(artifact));
}

/** Pointers stand in the metadata where the tool has an artifact of its own. */
function besideStored(
  own: unknown,
  stored: readonly CarriedArtifact[],
  said: OffloadedOutput["said"],
) {
  if (own === undefined) return { artifact: stored.length > 1 ? stored : stored[0], said };
  return { artifact: own, said: stored.length === 0 ? said : { ...said, ...pointersTo(stored) } };
}

function pointersTo(stored: readonly CarriedArtifact[]): JsonObject {
  return { [STORED_IN_METADATA]: stored };
}

/** The call of a message; `undefined` for one that stays as it is. */
type CallOf = (message: ToolMessage) => ToolRun | undefined;

export async function offloadCommand(command: Command, callOf: CallOf): Promise<Command> {
  const updates = updatesOf(command);
  const offloaded = await offloadUpdates(updates, callOf);
  const targets = targetsOf(command);
  const goto = await Promise.all(
    targets.map(async (target) => {
      const sent = sentTo(target);
      const args = await offloadUpdates(sent, callOf);
      return args === sent || typeof target === "string"
        ? target
        : new Send(target.node, Object.fromEntries(args));
    }),
  );
  const isSame = offloaded === updates && goto.every((target, at) => target === targets[at]);
  return isSame ? command : withUpdates(command, offloaded, goto);
}

/** A handoff tool may return the state's own messages, which are never offloaded later. */
function callOfNew(call: ToolRun, command: Command): CallOf {
  const isKnown = knownAmong(messagesOf(call.state));
  const messages = new Set(toolMessagesOf(command));
  const outputs = [...messages].filter((message) => !isKnown(message)).length;
  const own = outputs > 1 ? shared(call, outputs) : call;
  return (message) => (isKnown(message) ? undefined : own);
}

function shared(call: ToolRun, outputs: number) {
  const { slot, turnCalls = 1 } = call.output;
  slot?.end(false);
  return { ...call, output: { ...call.output, slot: undefined, turnCalls: turnCalls * outputs } };
}

/** The given list if nothing in it changes. */
export async function offloadUpdates(
  updates: [string, unknown][],
  callOf: CallOf,
): Promise<[string, unknown][]> {
  const offloaded = await Promise.all(
    updates.map(async ([channel, value]): Promise<[string, unknown]> => [
      channel,
      await offloadUpdate(value, callOf, channel),
    ]),
  );
  return offloaded.every(([, value], index) => value === updates[index]?.[1]) ? updates : offloaded;
}

async function offloadUpdate(value: unknown, callOf: CallOf, channel: string): Promise<unknown> {
  if (Overwrite.isInstance(value)) {
    const offloaded = await offloadUpdate(value.value, callOf, channel);
    return offloaded === value.value ? value : new Overwrite(offloaded);
  }
  const item = async (given: unknown): Promise<unknown> => {
    const message = toolMessageOf(given, channel);
    const offloaded = message && (await offloadMessage(message, callOf(message)));
    return offloaded === message ? given : offloaded;
  };
  if (!Array.isArray(value)) return await item(value);
  const offloaded = await Promise.all(value.map(item));
  return offloaded.every((one, index) => one === value[index]) ? value : offloaded;
}

const MAX_ARTIFACT_CHARACTERS = 4_096;

function ownArtifact(
  given: unknown,
  isSelectedFrom: boolean,
): Pick<CarriedArtifact, "toolArtifact" | "toolArtifactLeftOut"> {
  if (given === undefined) return {};
  if (isPlain(given, MAX_ARTIFACT_CHARACTERS)) return { toolArtifact: given };
  return isSelectedFrom || isStoredToo(given) ? {} : { toolArtifactLeftOut: true };
}

function isStoredToo(artifact: unknown): boolean {
  if (isPreBudgetSet(artifact)) return true;
  return (
    Array.isArray(artifact) &&
    artifact.every(
      (entry) =>
        fieldOf(entry, "type") === "mcp_structured_content" ||
        fieldOf(fieldOf(entry, "resource"), "text") !== undefined,
    )
  );
}

export function isFinished(value: unknown): value is ToolMessage | Command {
  try {
    return ToolMessage.isInstance(value) || isCommand(value);
  } catch {
    // LangChain handles a value that throws on access.
    return false;
  }
}

export function isGenerator(value: unknown): value is AsyncGenerator<unknown, unknown> {
  try {
    const iterated = fieldOf(value, Symbol.asyncIterator) ?? fieldOf(value, Symbol.iterator);
    return typeof iterated === "function" && typeof fieldOf(value, "next") === "function";
  } catch {
    return false;
  }
}
