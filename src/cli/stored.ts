import { listDirectory } from "../core/store/file/directory.js";
import { fileStore } from "../core/store/file/index.js";
import { sessionKeyOf } from "../core/store/naming.js";
import type { StoredArtifact } from "../core/types/artifact.js";
import { bytes, counted, duration, grouped } from "../util/amounts.js";
import { safeJson } from "../util/safe-text.js";
import type { Call, ExitCode } from "./call.js";
import { shellLine } from "./command-line.js";
import { directoryOf, findOutput } from "./find-output.js";
import { date, printableLine, table, writeFound } from "./print.js";

const MAX_CELL_CHARACTERS = 32;
const MAX_SHOWN_CHARACTERS = 400;
const TITLES = ["ID", "KIND", "RECORDS", "SIZE", "EXPIRES", "TOOL"];

/** Without its key, hardly anything is known of an encrypted output. */
function knownOf(artifact: StoredArtifact): Partial<StoredArtifact> {
  return artifact.sealed === undefined ? artifact : {};
}

function outputJson(artifact: StoredArtifact): Readonly<Record<string, unknown>> {
  const known = knownOf(artifact);
  return {
    id: artifact.id,
    file_path: artifact.filePath,
    tool: known.toolName,
    kind: known.kind,
    layout: known.layout,
    records: known.recordCount,
    lines: known.lineCount,
    size_bytes: artifact.sizeBytes,
    tokens: known.tokens,
    created_at: date(artifact.createdAt),
    expires_at: date(artifact.expiresAt),
    // SHA-256 of the session, in hex.
    session_hash: artifact.sessionKey,
    encrypted_with: artifact.sealed?.keyId,
  };
}

export async function list(call: Call): Promise<ExitCode> {
  const { session, tool } = call.texts;
  const { expired: isExpired, ids, json } = call.flags;
  const directory = await directoryOf(call);
  const { artifacts, expired, unreadable } = await listDirectory(directory, call.now());
  const sessionKey = session && sessionKeyOf(session);
  const outputs = (isExpired ? expired : artifacts)
    .filter(
      (artifact) =>
        (!sessionKey || artifact.sessionKey === sessionKey) &&
        (!tool || artifact.toolName === tool),
    )
    .toReversed()
    .slice(0, call.numbers["limit"]);
  const rows = outputs.map((artifact) => rowOf(artifact, call.now()));
  const shown = ids ? outputs.map(({ id }) => `${id}\n`) : table([TITLES, ...rows], [2, 3, 4]);
  const isTable = !json && !ids;
  if (outputs.length === 0 && isTable)
    await call.err.write(printableLine(`Nothing to list in ${directory}.`) + "\n");
  else await writeFound(call, { directory, outputs: outputs.map(outputJson), unreadable }, shown);
  const others = counted(unreadable, "output");
  if (unreadable > 0 && isTable)
    await call.err.write(`${others} left out: they belong to another user, or were changed.\n`);
  return 0;
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
    printableLine(sealed === undefined ? toolName : `key ${sealed.keyId}`, MAX_CELL_CHARACTERS),
  ];
}

export async function show(call: Call): Promise<ExitCode> {
  const { artifact, directoryArgs } = await findOutput(call);
  const { recipes } = artifact;
  const { tokensExact, headerBytes, detail, args, fields, sets, media } = knownOf(artifact);
  const known = {
    ...outputJson(artifact),
    tokens_exact: tokensExact,
    header_bytes: headerBytes,
    detail,
    args,
    fields,
    sets,
    media,
  };
  const rows = Object.entries(known).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const text = typeof value === "string" ? value : safeJson(value);
    return [[name, printableLine(text, MAX_SHOWN_CHARACTERS)]];
  });
  const extract = shellLine(["extract", artifact.id], directoryArgs);
  if (recipes.length > 0) rows.push(["recipes", `${extract} --recipe N`]);
  for (const [index, { description, params }] of recipes.entries()) {
    const given = Object.entries(params).map(([name, value]) => ` ${name}=${value}`);
    const text = printableLine(description + given.join(""), MAX_SHOWN_CHARACTERS);
    rows.push([String(index + 1).padStart("recipes".length), text]);
  }
  await writeFound(call, { ...known, recipes }, table(rows));
  return 0;
}

export async function clean(call: Call): Promise<ExitCode> {
  const { now } = call;
  const directory = await directoryOf(call, false);
  const swept = await fileStore({ directory, now }).sweep(now());
  const lines: string[] = [];
  let removed_bytes = 0;
  const removed = swept.map(({ id, filePath: file_path, sizeBytes: size_bytes, expiresAt }) => {
    const expired_at = date(expiresAt);
    removed_bytes += size_bytes;
    lines.push(`${file_path}  ${counted(size_bytes, "byte")}, expired ${expired_at}`);
    return { id, file_path, size_bytes, expired_at };
  });
  const sizes = `${counted(removed.length, "output")}, ${counted(removed_bytes, "byte")}`;
  lines.push(`Removed ${sizes}, from ${directory}.`);
  const shown = lines.map((line) => `${printableLine(line)}\n`);
  await writeFound(call, { directory, removed, removed_bytes }, shown);
  return 0;
}
