import { cleanBlock } from "../../core/clean/clean-output.js";
import { CLEANED_AT_ONCE, type Cleaner, withheldSentence } from "../../core/clean/cleaner.js";
import { memberPlaces, textAt } from "../../core/content/json/json-text.js";
import { internals, type Offloader } from "../../core/pipeline/offloader.js";
import { mapConcurrent } from "../../util/slices.js";
import { elementsAt } from "./content-blocks.js";
import { CODES } from "./message.js";
import type { JsonObject } from "../../util/is-record.js";

export interface ToolCall {
  readonly toolName: string;
  readonly toolCallId: string;
}

const SERVER: ToolCall = { toolName: "server", toolCallId: "server" };

export async function redactedResult(
  offloader: Offloader,
  json: string,
  result: JsonObject,
  call: ToolCall,
): Promise<string> {
  const content = [{ type: "text", text: withheldSentence(call.toolName) }];
  const withheld = JSON.stringify({ content, isError: true });
  return await cleaned(offloader, call, json, withheld, (cleaner) =>
    redactMembers(json, result, cleaner),
  );
}

export async function redactedError(
  offloader: Offloader,
  json: string,
  call: ToolCall,
): Promise<string> {
  const message = withheldSentence(call.toolName);
  const withheld = JSON.stringify({ code: CODES.serverError, message });
  return await cleaned(offloader, call, json, withheld, (cleaner) =>
    cleaner.json(json, "artifact"),
  );
}

export async function redactedSentence(
  offloader: Offloader,
  sentence: string,
  call: ToolCall = SERVER,
): Promise<string> {
  return await cleaned(offloader, call, sentence, withheldSentence(call.toolName), (cleaner) =>
    cleaner.text(sentence, "line"),
  );
}

export async function cleaned<Shown>(
  offloader: Offloader,
  call: ToolCall,
  given: Shown,
  withheld: Shown,
  clean: (cleaner: Cleaner) => Promise<Shown>,
): Promise<Shown> {
  const cleaner = internals(offloader).host.cleanerOf(call);
  if (cleaner === undefined) return given;
  try {
    return await clean(cleaner);
  } catch {
    return withheld;
  }
}

export async function redactMembers(
  json: string,
  { content }: JsonObject,
  cleaner: Cleaner,
  done?: string,
): Promise<string> {
  const places = [...memberPlaces(json)];
  if (places.length === 0) return await cleaner.json(json, "artifact");
  const members = await mapConcurrent(places, CLEANED_AT_ONCE, async ([key, place]) => {
    const came = textAt(json, place);
    if (key === done) return { key, came, own: came };
    const part = key === "structuredContent" ? "output" : "artifact";
    const own =
      key === "content" && Array.isArray(content)
        ? await redactContent(came, content, cleaner)
        : await cleaner.json(came, part);
    return { key, came, own };
  });
  if (members.every(({ came, own }) => came === own)) return json;
  return `{${members.map(({ key, own }) => `${JSON.stringify(key)}:${own}`).join()}}`;
}

async function redactContent(
  came: string,
  blocks: readonly unknown[],
  cleaner: Cleaner,
): Promise<string> {
  const spelled = elementsAt(came, []);
  const redacted = await mapConcurrent(blocks, CLEANED_AT_ONCE, async (block, index) => {
    const own = await cleanBlock(block, cleaner);
    return own === block ? spelled[index] : JSON.stringify(own);
  });
  return redacted.every((text, index) => text === spelled[index]) ? came : `[${redacted.join()}]`;
}
