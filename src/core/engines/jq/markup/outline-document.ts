import type { OutlinedDocument } from "../../../describe/outlines/outline-of.js";
import { type Outline, lineCounter } from "../../../describe/outlines/outline.js";
import { pageOutline } from "../../../describe/outlines/page.js";
import { jsonOutline, structureOutline } from "../../../describe/outlines/structure.js";
import { decodeText } from "../../../../util/text-encoding.js";
import { type Element, elementValue, readElements } from "./elements.js";
import { readYaml } from "./markup-reader.js";

const MIN_LINES = 20;

type LineOf = (keys: readonly string[]) => number | undefined;

/** @throws Error when the document cannot be parsed. */
export function outlineDocument(document: OutlinedDocument): Outline | undefined {
  const { kind, bytes, lineCount } = document;
  const text = decodeText(bytes);
  if (kind === "json-document") return jsonOutline(text);
  if (kind === "html") return pageOutline(text, lineCount);
  const hasLines = lineCount >= MIN_LINES;
  if (kind === "yaml")
    return structureOutline(readYaml(text) ?? null, hasLines ? yamlLines(text) : undefined);
  const root = readElements(text, "xml");
  return structureOutline(elementValue(root), hasLines ? elementLines(root, text) : undefined);
}

function yamlLines(text: string): LineOf {
  const found = new Map<string, number | undefined>();
  for (const [at, line] of text.split("\n").entries()) {
    const key = /^(["']?)([\w./@-][\w ./@-]{0,99})\1:(?:\s|$)/.exec(line)?.[2];
    if (key !== undefined) found.set(key, found.has(key) ? undefined : at + 1);
  }
  return ([key = "", ...rest]) => (rest.length > 0 ? undefined : found.get(key));
}

function elementLines({ place: root }: Element, text: string): LineOf {
  const all: { readonly path: string; readonly at: number }[] = [];
  const visit = ({ children }: Element["place"], path: string): void => {
    for (const [name, place] of children) {
      all.push({ path: `${path}\n${name}`, at: place.at });
      visit(place, `${path}\n${name}`);
    }
  };
  visit(root, "");
  const lineAt = lineCounter(text);
  const found = new Map<string, number>();
  for (const { path, at } of all.toSorted((one, other) => one.at - other.at))
    found.set(path, lineAt(at));
  return (keys) => found.get(keys.map((key) => `\n${key}`).join(""));
}
