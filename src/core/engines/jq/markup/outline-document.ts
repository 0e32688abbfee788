import type { OutlinedDocument } from "../../../describe/outlines/outline-of.js";
import type { Outline } from "../../../describe/outlines/outline.js";
import { pageOutline } from "../../../describe/outlines/page.js";
import { jsonOutline, structureOutline } from "../../../describe/outlines/structure.js";
import { decodeText } from "../../../../util/text-encoding.js";
import { elementValue, readElements } from "./elements.js";
import { readYaml } from "./markup-reader.js";

/** @throws Error when the document cannot be parsed. */
export function outlineDocument(document: OutlinedDocument): Outline | undefined {
  const { kind, bytes, lineCount } = document;
  const text = decodeText(bytes);
  if (kind === "json-document") return jsonOutline(text);
  if (kind === "html") return pageOutline(text, lineCount);
  if (kind === "xml") return structureOutline(elementValue(readElements(text, "xml")));
  return structureOutline(readYaml(text) ?? null);
}
