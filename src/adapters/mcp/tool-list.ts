import { elementTexts, placeAt, withValueAt } from "../../core/content/json/json-text.js";
import { isRecord } from "../../util/is-record.js";
import { isLastPage, type Message } from "./message.js";
import { unionSchema } from "./output-schema.js";
import type { OwnTools } from "./own-tools.js";

const TOOLS = ["result", "tools"];

/**
 * A page of the server's tools: output schemas take descriptors too, and the last page ends with
 * the drill-in tools, which stand in place of tools of the same name. Everything else of the page keeps
 * its text.
 *
 * @param onHidden - Told of a tool of the server that one of ours stands for.
 */
export function withOwnTools(
  { text, result }: Message,
  own: OwnTools,
  onHidden: (name: string) => void,
): string {
  const tools = isRecord(result) ? result["tools"] : undefined;
  const place = placeAt(text, TOOLS);
  const given = place && elementTexts(text, place);
  if (!isRecord(result) || !Array.isArray(tools) || given === undefined) return text;
  const listed = given.flatMap((toolText, index) => {
    const tool: unknown = tools[index];
    const name = isRecord(tool) ? tool["name"] : undefined;
    if (typeof name === "string" && own.has(name)) {
      onHidden(name);
      return [];
    }
    return [withTakenSchema(toolText, tool)];
  });
  return withValueAt(
    text,
    TOOLS,
    `[${[...listed, ...(isLastPage(result) ? own.definitions : [])].join(",")}]`,
  );
}

function withTakenSchema(toolText: string, tool: unknown): string {
  if (!isRecord(tool) || tool["outputSchema"] === undefined) return toolText;
  const union = unionSchema(tool["outputSchema"]);
  if (union !== undefined) return withValueAt(toolText, ["outputSchema"], JSON.stringify(union));
  const { outputSchema: _, ...rest } = tool;
  return JSON.stringify(rest);
}
