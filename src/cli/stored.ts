import { listDirectory } from "../core/store/file/directory.js";
import { fileStore } from "../core/store/file/index.js";
import { sessionKeyOf } from "../core/store/naming.js";
import type { StoredArtifact } from "../core/types/artifact.js";
import { bytes, counted, duration, grouped } from "../util/amounts.js";
import { safeJson } from "../util/safe-text.js";
import type { Call, ExitCode } from "./call.js";
import { directoryOf, findOutput } from "./find-output.js";
import { date, printableLine, table } from "./print.js";
import type { JsonObject } from "../util/is-record.js";

const MAX_CELL_CHARACTERS = 32;
const TITLES = ["ID", "KIND", "RECORDS", "SIZE", "EXPIRES", "TOOL"];

/** Without its key, hardly anything is known of an encrypted output. */
function knownOf(artifact: StoredArtifact): Partial<StoredArtifact> {
  return artifact.sealed === undefined ? artifact : {};
}

function outputJson(artifact: StoredArtifact): JsonObject {
  const known = knownOf(artifact);
  return {
    id: artifact.id,
    file_path: artifact.filePath,
    tool: known.toolName,
    kind: known.kind,
    records: known.recordCount,
    lines: known.lineCount,
    size_bytes: artifact.sizeBytes,
    tokens: known.tokens,
    tokens_exact: known.tokensExact,
    created_at: date(artifact.createdAt),
    expires_at: date(artifact.expiresAt),
    // SHA-256 of the session, in hex.
    session_hash: artifact.sessionKey,
    encrypted_with: artifact.sealed?.keyId,
  };
}

export async function list(call: Call): Promise<ExitCode> {
  const { session } = call.texts;
  const directory = await directoryOf(call);
  const { artifacts, unreadable } = await listDirectory(directory, call.now());
  const sessionKey = session && sessionKeyOf(session);
  const outputs = artifacts
    .filter((artifact) => !sessionKey || artifact.sessionKey === sessionKey)
    .toReversed();
  const rows = outputs.map((artifact) => rowOf(artifact, call.now()));
  const shown = table([TITLES, ...rows], [2, 3, 4]);
  const found = { directory, outputs: outputs.map(outputJson), unreadable };
  await call.out.write(call.flags["json"] ? `${safeJson(found)}\n` : shown.join(""));
  if (unreadable > 0)
    await call.err.write(`Left out, of another user or changed: ${unreadable}.\n`);
  return 0;
}

function rowOf(artifact: StoredArtifact, nowMs: number): readonly string[] {
  const { id, kind, recordCount, sizeBytes, expiresAt, toolName, sealed } = artifact;
  return [
    id,
    sealed === undefined ? kind : "encrypted",
    recordCount === undefined ? "-" : grouped(recordCount),
    bytes(sizeBytes),
    `in ${duration(expiresAt - nowMs)}`,
    printableLine(sealed === undefined ? toolName : `key ${sealed.keyId}`, MAX_CELL_CHARACTERS),
  ];
}

export async function show(call: Call): Promise<ExitCode> {
  const { artifact } = await findOutput(call);
  const { args, fields, sets, media, recipes } = knownOf(artifact);
  const known = { ...outputJson(artifact), args, fields, sets, media, recipes };
  await call.out.write(`${safeJson(known, 2)}\n`);
  return 0;
}

export async function clean(call: Call): Promise<ExitCode> {
  const { now, out } = call;
  const directory = await directoryOf(call);
  const swept = await fileStore({ directory, now }).sweep(now());
  for (const { filePath, sizeBytes } of swept)
    await out.write(`${printableLine(`${filePath}  ${counted(sizeBytes, "byte")}`)}\n`);
  await out.write(`Removed ${counted(swept.length, "output")}.\n`);
  return 0;
}
