import { fileStore } from "../../core/store/file/index.js";
import type { StoredArtifact } from "../../core/types/artifact.js";
import type { Command } from "../command.js";
import { checkDirectory, configuredDirectory, DIRECTORY_OPTIONS } from "../directory.js";
import { jsonLine } from "../print/json-line.js";
import { printableLine } from "../print/printable.js";
import { withProgress } from "../print/progress.js";
import { counted } from "../../util/amounts.js";
import { date } from "../print/units.js";

/**
 * `clean`: removes what has expired from a directory of stored outputs and from the folders of sessions
 * in it, and says what was removed.
 */
export const clean: Command = {
  help: `Usage: langchain-offload clean [options]

Removes stored tool outputs that have expired, as a running offloader does
every hour. It takes only what langchain-offload wrote for this user beyond
doubt, and is safe while agents use the directory.

Options:
  --directory DIR  where the outputs are
  --config FILE    a TOML file whose [prompt.offload] has output_dir
  --json           print one JSON object
  -h, --help       print this help

Exit codes: 0 done, also when nothing had expired; 2 wrong usage, or the
directory cannot be read.
`,
  options: DIRECTORY_OPTIONS,
  operands: [],
  async run(given, surroundings) {
    const { out, now } = surroundings;
    const directory = await configuredDirectory(given, surroundings);
    await checkDirectory(directory);
    const removed = await withProgress(
      surroundings,
      () => "Removing expired outputs",
      () => fileStore({ directory, now }).sweep(now()),
    );
    await out.write(given.flag("json") ? asJson(directory, removed) : asLines(directory, removed));
    return 0;
  },
};

function asJson(directory: string, removed: readonly StoredArtifact[]): string {
  return jsonLine({
    directory,
    removed: removed.map(({ id, filePath, sizeBytes, expiresAt }) => ({
      id,
      file_path: filePath,
      size_bytes: sizeBytes,
      expired_at: date(expiresAt),
    })),
    removed_bytes: totalBytes(removed),
  });
}

function asLines(directory: string, removed: readonly StoredArtifact[]): string {
  const lines = removed.map(
    ({ filePath = "", sizeBytes, expiresAt }) =>
      `${filePath}  ${counted(sizeBytes, "byte")}, expired ${date(expiresAt)}`,
  );
  lines.push(
    `Removed ${counted(removed.length, "output")}, ${counted(totalBytes(removed), "byte")}, from ${directory}.`,
  );
  return lines.map((line) => `${printableLine(line)}\n`).join("");
}

function totalBytes(removed: readonly StoredArtifact[]): number {
  return removed.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}
