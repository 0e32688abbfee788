import { FORM_BUDGET_TOKENS } from "../../core/describe/describe.js";
import type { DrillInToolNames } from "../../core/types/result.js";
import type { Describer } from "../../core/describe/describer.js";
import { firstWithin } from "../../core/describe/describer.js";
import {
  CURSOR_CHARACTERS,
  nextPageOf,
  SHORT_CURSOR_CHARACTERS,
} from "../../core/describe/next-page.js";
import { safeJson } from "../../util/safe-text.js";
import { tablesInWords } from "../../core/content/json/sets/set-names.js";
import { titleOf } from "../../core/describe/summary.js";
import { shapeOf, structureOf } from "./shape.js";

import { checkedOptions, count, optionsOf, size } from "../../util/option-rules.js";

/** How much the envelope shows. */
export interface EnvelopeOptions {
  /**
   * Most tokens of the envelope, inclusive; keys leave its shape until it fits.
   *
   * @defaultValue `400`
   */
  readonly maxTokens?: number;
  /**
   * Levels of objects whose keys the shape names.
   *
   * @defaultValue `1`
   * @source Vectara, Tool-output offloading, What the agent sees: `array(500) of object(6 keys)`.
   */
  readonly shapeDepth?: number;
}

const schema = optionsOf({ maxTokens: count.optional(), shapeDepth: size.optional() });

/** @source Vectara, Tool-output offloading, What the agent sees. */
const HOW_TO: readonly (readonly [keyof DrillInToolNames, string])[] = [
  ["read", "Read full content or a line range (start_line/end_line)"],
  ["grep", "Search for patterns with grep"],
  ["jq", "Query with jq expressions, e.g. '.results[0]', '.[] | select(.score > 0.5)'"],
  ["sql", "Query the records with one SQL SELECT over the table output"],
];

/** The file name without its extension, which drill-ins take for the artifact. */
function artifactId(fileName: string): string {
  return fileName.replace(/\.[A-Za-z0-9]{1,10}$/, "");
}

/**
 * Makes a describer of envelopes: `artifact_id`, `size_bytes`, `line_count`, `shape` and
 * `how_to_access` with the tools that this agent has. The shape of text is `text`. Keys leave the
 * shape, and at last the shape itself, until the envelope is within its budget and 80 % of the output.
 */
export function describeAsEnvelope(options: EnvelopeOptions = {}): Describer {
  const checked = checkedOptions<EnvelopeOptions>("describeAsEnvelope", schema, options);
  const { maxTokens = FORM_BUDGET_TOKENS.envelope, shapeDepth = 1 } = checked;
  return async (input) => {
    const { storedArtifact, content, profile, tools } = input;
    const structure = structureOf(content, profile);
    const nextPage = await nextPageOf(content, storedArtifact);
    const plain = content.layout === "text" ? "text" : "JSON";
    const howToAccess = Object.fromEntries(
      HOW_TO.flatMap(([key, text]) => {
        const name = tools[key];
        const isThere = name !== undefined && (key !== "sql" || content.records !== undefined);
        const tables = key === "sql" && content.sets ? tablesInWords(content.sets) : undefined;
        return isThere ? [[name, tables ? `One SQL SELECT over the tables ${tables}` : text]] : [];
      }),
    );
    const text = (shape: unknown): string =>
      safeJson({
        artifact_id: artifactId(storedArtifact.fileName),
        ...titleOf(storedArtifact),
        size_bytes: storedArtifact.sizeBytes,
        line_count: storedArtifact.lineCount,
        ...nextPage.summary(shape === undefined ? SHORT_CURSOR_CHARACTERS : CURSOR_CHARACTERS),
        ...(shape === undefined ? {} : { shape }),
        ...(shape !== undefined && structure?.isSample && { shape_is: "of a sample" }),
        how_to_access: howToAccess,
      });
    function* texts(): Generator<string> {
      if (structure === undefined) {
        yield text(plain);
      } else {
        for (const maxKeys of [60, 30, 15, 8, 4]) {
          yield text(shapeOf(structure.root, { maxDepth: shapeDepth, maxKeys }));
        }
        yield text(shapeOf(structure.root, { maxDepth: 0, maxKeys: 0 }));
      }
      yield text(undefined);
    }
    const { descriptor } = await firstWithin(input, "envelope", {
      maxTokens,
      texts: texts(),
    });
    return descriptor;
  };
}
