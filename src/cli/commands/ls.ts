import { scopeOf } from "../../core/store/naming.js";
import type { StoredArtifact } from "../../core/types/artifact.js";
import type { Command } from "../command.js";
import { DIRECTORY_OPTIONS, directoryOf } from "../directory.js";
import { jsonLine } from "../print/json-line.js";
import { listOutputs } from "../list.js";
import { outputJson } from "../print/output-json.js";
import { paintFor } from "../print/style.js";
import { type Column, table } from "../print/table.js";
import { bytes, counted, grouped } from "../../util/amounts.js";
import { duration } from "../print/units.js";

const COLUMNS: readonly Column[] = [
  { title: "ID" },
  { title: "KIND" },
  { title: "RECORDS", align: "right" },
  { title: "SIZE", align: "right" },
  { title: "EXPIRES", align: "right" },
  { title: "TOOL" },
];

/** `ls`: the outputs of a directory, of all sessions of this user. */
export const ls: Command = {
  help: `Usage: langchain-offload ls [options]

Lists the stored outputs of a directory and of the sessions' folders in it,
newest first: those of all sessions, as far as the files are yours.

Options:
  --session ID     only those of this session (the LangGraph thread id)
  --tool NAME      only those of this tool
  --limit N        at most N
  --expired        those that have expired and are not yet removed, instead
  --ids            only the ids, one a line
  --directory DIR  where the outputs are
  --config FILE    a TOML file whose [prompt.offload] has output_dir
  --json           print one JSON object
  -h, --help       print this help

Exit codes: 0 done, also when there are none; 2 wrong usage, or the directory
cannot be read.
`,
  options: {
    session: { type: "string" },
    tool: { type: "string" },
    limit: { type: "string" },
    expired: { type: "boolean" },
    ids: { type: "boolean" },
    ...DIRECTORY_OPTIONS,
  },
  operands: [],
  async run(given, surroundings) {
    const { out, err, now } = surroundings;
    const limit = given.number("limit", 1);
    const directory = await directoryOf(given, surroundings);
    const { artifacts, expired, unreadable } = await listOutputs(directory, surroundings);
    const session = given.text("session");
    const scope = session === undefined ? undefined : scopeOf(session);
    const tool = given.text("tool");
    const outputs = (given.flag("expired") ? expired : artifacts)
      .filter((artifact) => scope === undefined || artifact.scope === scope)
      .filter((artifact) => tool === undefined || artifact.toolName === tool)
      .toReversed()
      .slice(0, limit);
    if (given.flag("json")) {
      await out.write(jsonLine({ directory, outputs: outputs.map(outputJson), unreadable }));
    } else if (given.flag("ids")) {
      await out.write(outputs.map(({ id }) => `${id}\n`).join(""));
    } else if (outputs.length === 0) {
      await err.write(`Nothing to list in ${directory}.${otherNote(unreadable)}\n`);
    } else {
      const rows = outputs.map((artifact) => rowOf(artifact, now()));
      await out.write(table(COLUMNS, rows, paintFor(out, surroundings)));
      const note = otherNote(unreadable);
      if (note !== "") await err.write(`${note.trimStart()}\n`);
    }
    return 0;
  },
};

function otherNote(count: number): string {
  if (count === 0) return "";
  return ` ${counted(count, "output")} left out: of another user, or changed since.`;
}

function rowOf(artifact: StoredArtifact, nowMs: number): readonly string[] {
  const { id, kind, recordCount, sizeBytes, expiresAt, toolName, sealed } = artifact;
  const leftMs = expiresAt - nowMs;
  return [
    id,
    sealed === undefined ? kind : "encrypted",
    recordCount === undefined ? "-" : grouped(recordCount),
    bytes(sizeBytes),
    leftMs > 0 ? `in ${duration(leftMs)}` : `${duration(-leftMs)} ago`,
    sealed === undefined ? toolName : "-",
  ];
}
