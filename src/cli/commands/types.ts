import { dirname } from "node:path";

import { OffloadError } from "../../errors.js";
import type { LearnedSchema } from "../../describe/schema/json-schema.js";
import { typeScriptOf } from "../../describe/schema/type-script.js";
import { createOffloader } from "../../offload/create-offloader.js";
import { fileStore } from "../../store/file/index.js";
import { scopeOf } from "../../store/naming.js";
import { memoryStore } from "../../store/memory.js";
import type { StoredArtifact } from "../../types/artifact.js";
import type { Command } from "../command.js";
import { plainCommandLine } from "../command-line.js";
import { DIRECTORY_OPTIONS, directoryArgs, directoryOf } from "../directory.js";
import { listOutputs } from "../list.js";
import { jsonLine } from "../print/json-line.js";
import { printableLine } from "../print/printable.js";
import { programName } from "../program-name.js";
import { counted } from "../../util/amounts.js";

/** The newest outputs are looked at, and none that a text cannot hold with ease. */
const MAX_OUTPUTS = 50;
const MAX_BYTES = 64 * 1024 * 1024;

/** `types`: what the outputs of a tool look like, as TypeScript or JSON Schema. */
export const types: Command = {
  help: `Usage: langchain-offload types TOOL [options]

Prints the TypeScript type of one record of a tool's outputs, as the newest 50
that are stored and have at most 64 MiB teach it. On standard error: how many
outputs and records that were.

Options:
  --session ID     only outputs of this session (the LangGraph thread id)
  --directory DIR  where the outputs are
  --config FILE    a TOML file whose [prompt.offload] has output_dir
  --json           print one JSON object: a JSON Schema with its confidence
  -h, --help       print this help

Exit codes: 0 printed; 1 no output of the tool with records is stored; 2 wrong
usage, or a fault.
`,
  options: { session: { type: "string" }, ...DIRECTORY_OPTIONS },
  operands: ["TOOL"],
  async run(given, surroundings) {
    const { out } = surroundings;
    const toolName = given.operands[0] ?? "";
    const directory = await directoryOf(given, surroundings);
    const { artifacts } = await listOutputs(directory, surroundings);
    const session = given.text("session");
    const scope = session === undefined ? undefined : scopeOf(session);
    const found = artifacts
      .filter((artifact) => artifact.toolName === toolName && artifact.sealed === undefined)
      .filter((artifact) => scope === undefined || artifact.scope === scope)
      .filter(({ sizeBytes }) => sizeBytes <= MAX_BYTES)
      .slice(-MAX_OUTPUTS);
    const learned = await learnFrom(found, toolName);
    if (learned === undefined) {
      throw new OffloadError(
        "ARTIFACT_NOT_FOUND",
        `No output of ${JSON.stringify(toolName.slice(0, 200))} with records is stored in ${directory}. ` +
          `${plainCommandLine(programName(surroundings), ["ls"], directoryArgs(given))} lists what is there.`,
      );
    }
    if (given.flag("json")) {
      await out.write(jsonLine({ tool: toolName, ...learned }));
      return 0;
    }
    const { outputs, records } = learned;
    const from = `// Of ${counted(outputs, "output")} with ${counted(records, "record")}.\n`;
    await out.write(from + printableType(typeScriptOf(toolName, learned.schema)));
    return 0;
  },
};

/** Each output is taken as if the tool had returned it. */
async function learnFrom(
  artifacts: readonly StoredArtifact[],
  toolName: string,
): Promise<LearnedSchema | undefined> {
  const offloader = createOffloader({ store: memoryStore(), drillIn: false, toolSchemas: true });
  try {
    for (const artifact of artifacts) {
      const store = fileStore({ directory: dirname(artifact.filePath ?? "") });
      const range = { start: artifact.headerBytes, end: artifact.sizeBytes };
      const bytes = await store.read(artifact, range);
      const { storedArtifact } = await offloader.put(Buffer.from(bytes).toString("utf8"), {
        sessionId: artifact.id,
        toolName,
      });
      await offloader.store.delete(storedArtifact.id, storedArtifact.scope);
    }
    return offloader.schemaOf(toolName);
  } finally {
    await offloader.close();
  }
}

function printableType(text: string): string {
  return `${text.trimEnd().split("\n").map(printableLine).join("\n")}\n`;
}
