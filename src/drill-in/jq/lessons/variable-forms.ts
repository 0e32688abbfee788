import { setsWithCounts } from "../../../describe/sets-in-words.js";
import type { StoredArtifact } from "../../../types/artifact.js";
import { isOneDocument, readAs } from "../../engine/data-source.js";
import { counted } from "../../shared/answer/answer.js";
import type { NamedOutput } from "../../shared/named-outputs.js";
import { tokensOf } from "./filter-tokens.js";

/** What the outputs are that a filter has as variables. */
export interface VariableForms {
  /** `$b is one document.`, of each that the filter names. */
  readonly sentence: string;
  /** Whether a field is taken of an array, or an item by its place of a document: no other advice is needed. */
  readonly isMistaken: boolean;
}

/** For a filter that has failed or found nothing; `undefined` when it names no output. */
export function variableForms(
  filter: string,
  others: readonly NamedOutput[],
): VariableForms | undefined {
  const tokens = tokensOf(filter);
  const named = others.filter(({ name }) =>
    tokens.some(({ kind, text }) => kind === "variable" && text === name),
  );
  if (named.length === 0) return undefined;
  const isMistaken = tokens.some(({ kind, text, end }, index) => {
    const output = kind === "variable" && named.find(({ name }) => name === text);
    const next = tokens[index + 1];
    if (!output || next?.start !== end) return false;
    return isOneDocument(readAs(output.artifact))
      ? next.text === "[" && tokens[index + 2]?.kind === "number"
      : next.kind === "field";
  });
  const sentence = named.map(({ name, artifact }) => `$${name} is ${formOf(artifact)}.`).join(" ");
  return { sentence, isMistaken };
}

function formOf(artifact: StoredArtifact): string {
  const { layout, lineCount, recordCount, sets } = artifact;
  if (isOneDocument(readAs(artifact)))
    return sets === undefined
      ? "one document"
      : `one document; its records are at ${setsWithCounts(sets)}`;
  if (layout === "text") return `the array of its ${counted(lineCount, "line")}`;
  return `the array of its ${recordCount === undefined ? "records" : counted(recordCount, "record")}`;
}
