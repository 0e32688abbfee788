import { mediaWords } from "../../core/content/media/media-words.js";
import type { StoredArtifact } from "../../core/types/artifact.js";
import type { Command } from "../command.js";
import { plainCommandLine } from "../command-line.js";
import { DIRECTORY_OPTIONS } from "../directory.js";
import { findOutput } from "../find-output.js";
import { jsonLine } from "../print/json-line.js";
import { outputJson } from "../print/output-json.js";
import { printableLine } from "../print/printable.js";
import { programName } from "../program-name.js";
import { recipeLines } from "../print/recipe-lines.js";
import { paintFor } from "../print/style.js";
import { pairs } from "../print/table.js";
import { bytes, grouped } from "../../util/amounts.js";
import { date, duration } from "../print/units.js";
import { safeJson, shorten } from "../../util/safe-text.js";

/** Longest value of a line; the whole is in `--json`. */
const MAX_SHOWN_CHARACTERS = 400;
const MAX_SHOWN_FIELDS = 40;

/** `show`: what is known about one output. */
export const show: Command = {
  help: `Usage: langchain-offload show ID [options]

Shows what is known about a stored output: the tool call it came from, its size,
its fields, when it expires, and the recipes of its descriptor.

ID is an id, a unique beginning of one, a file name, a path, or \`latest\`.

Options:
  --directory DIR  where the outputs are
  --config FILE    a TOML file whose [prompt.offload] has output_dir
  --json           print one JSON object, with everything in full
  -h, --help       print this help

Exit codes: 0 shown; 1 there is no such output, or it has expired; 2 wrong
usage, or a fault.
`,
  options: DIRECTORY_OPTIONS,
  operands: ["ID"],
  async run(given, surroundings) {
    const { artifact, directoryArgs } = await findOutput(given, surroundings);
    const { out } = surroundings;
    if (given.flag("json")) {
      const { args, encoding, fields, headerBytes, recipes, tokensExact, detail } = artifact;
      await out.write(
        jsonLine({
          ...outputJson(artifact),
          tokens_exact: tokensExact,
          encoding,
          header_bytes: headerBytes,
          detail,
          args,
          fields,
          recipes: recipes.map(({ description, filter, slurp, raw, params }) => {
            return { description, filter, slurp, raw, params };
          }),
        }),
      );
      return 0;
    }
    const paint = paintFor(out, surroundings);
    const recipes = recipeLines(artifact);
    const extract = plainCommandLine(
      programName(surroundings),
      ["extract", artifact.id],
      directoryArgs,
    );
    const heading = `\n${paint("bold", `Recipes: ${extract} --recipe N`)}\n`;
    await out.write(
      [
        pairs(entriesOf(artifact, surroundings.now())),
        ...(recipes.length === 0 ? [] : [heading]),
        ...recipes,
      ].join(""),
    );
    return 0;
  },
};

/** All that is in plain of an output whose key this program has not. */
function entriesOfSealed(
  artifact: StoredArtifact,
  keyId: string,
  nowMs: number,
): [string, string][] {
  const shown = new Set(["id", "file", "size", "created", "expires", "session"]);
  return [
    ["encrypted", `with the key ${line(keyId)}, which this program has not`],
    ...entriesOf({ ...artifact, sealed: undefined }, nowMs).filter(([name]) => shown.has(name)),
  ];
}

function entriesOf(artifact: StoredArtifact, nowMs: number): [string, string][] {
  const { sealed } = artifact;
  if (sealed !== undefined) return entriesOfSealed(artifact, sealed.keyId, nowMs);
  const { tokens, tokensExact, recordCount, sets = [], fields, media } = artifact;
  const counts = sets.map(({ path, count }) => `${path.join(".")} (${grouped(count)})`);
  const shown = fields.slice(0, MAX_SHOWN_FIELDS).join(", ");
  return [
    ["id", artifact.id],
    ["file", line(artifact.filePath ?? artifact.fileName)],
    ["tool", line(artifact.toolName)],
    ["arguments", line(safeJson(artifact.args ?? {}))],
    ["kind", `${artifact.kind}, stored as ${artifact.layout}`],
    ...(media === undefined
      ? []
      : [["media", line(mediaWords(media, artifact.sizeBytes))] as [string, string]]),
    ...(media?.name === undefined ? [] : [["name", line(media.name)] as [string, string]]),
    ["records", recordCount === undefined ? "-" : grouped(recordCount)],
    ...(counts.length === 0 ? [] : [["sets", line(counts.join(", "))] as [string, string]]),
    ["lines", grouped(artifact.lineCount)],
    ["size", `${bytes(artifact.sizeBytes)} (${grouped(artifact.sizeBytes)} bytes)`],
    ["tokens", `${tokensExact ? "" : "about "}${grouped(tokens)}`],
    ["created", `${date(artifact.createdAt)}, ${duration(nowMs - artifact.createdAt)} ago`],
    ["expires", `${date(artifact.expiresAt)}, in ${duration(artifact.expiresAt - nowMs)}`],
    ["session", `${artifact.scope} (SHA-256)`],
    ["fields", fields.length === 0 ? "-" : line(shown)],
  ];
}

function line(text: string): string {
  return shorten(printableLine(text), MAX_SHOWN_CHARACTERS);
}
