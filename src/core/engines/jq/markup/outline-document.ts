import type { OutlinedDocument } from "../../../describe/outlines/outline-of.js";
import type { Outline } from "../../../describe/outlines/outline.js";
import { pageOutline } from "../../../describe/outlines/page.js";
import { jsonOutline, structureOutline } from "../../../describe/outlines/structure.js";
import { decodeText } from "../../../../util/text-encoding.js";
import { elementValue, readElements } from "./elements.js";
import { readYaml } from "./markup-reader.js";

const MIN_LINES = 20;

type LineOf = (keys: readonly string[]) => number | undefined;

/** @throws Error when the document cannot be parsed. */
export function outlineDocument(document: OutlinedDocument): Outline | undefined {
  const { kind, bytes, lineCount } = document;
  const text = decodeText(bytes);
  if (kind === "json-document") return jsonOutline(text);
  if (kind === "html") return pageOutline(text, lineCount);
  if (kind === "xml") return structureOutline(elementValue(readElements(text, "xml")));
  const lineOf = lineCount >= MIN_LINES ? yamlLines(text) : undefined;
  return structureOutline(readYaml(text) ?? null, lineOf);
}

function yamlLines(text: string): LineOf {
  const found = new Map<string, number | undefined>();
  for (const [at, line] of text.split("\n").entries()) {
    const key = /^(["']?)([\w./@-][\w ./@-]{0,99})\1:(?:\s|$)/.exec(line)?.[2];
    if (key !== undefined) found.set(key, found.has(key) ? undefined : at + 1);
  }
  return ([key = "", ...rest]) => (rest.length > 0 ? undefined : found.get(key));
}
