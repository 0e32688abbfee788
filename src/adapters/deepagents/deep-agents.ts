import { getConfig, getCurrentTaskInput } from "@langchain/langgraph";

import { findIn, noteRead, noTextSentence } from "../../core/drill-in/find.js";
import { listArtifacts } from "../../core/store/store-driver.js";
import { OffloadError } from "../../core/types/errors.js";
import { internals, type Offloader } from "../../core/pipeline/offloader.js";
import type { StoredArtifact } from "../../core/types/artifact.js";
import { readingCall, sessionKeyOfCall } from "../langchain/run/reading-call.js";
import type { RunSite } from "../langchain/run/session.js";
import { decodeText } from "../../util/text-encoding.js";
import { readLines, type StoredLines } from "./stored-file-read.js";
import { globMatcher } from "./glob.js";

/**
 * The file tools of a deep agent, which bounds their answers itself. Exclude them, so that what
 * they read is not offloaded again: `offloadMiddleware({ exclude: DEEP_AGENT_FILE_TOOLS })`.
 */
export const DEEP_AGENT_FILE_TOOLS: readonly string[] = [
  "ls",
  "read_file",
  "write_file",
  "edit_file",
  "delete",
  "glob",
  "grep",
];

/** A file in a listing. */
export interface StoredFileInfo {
  path: string;
  is_dir: boolean;
  /** Bytes. */
  size: number;
  /** ISO 8601. */
  modified_at: string;
}

interface LineMatch {
  path: string;
  line: number;
  text: string;
}

type Answer<Found> = Promise<Found | { error: string }>;

/** Stored outputs as read-only files, in the shape of a deep agent's backend. */
export interface OffloadBackend {
  ls(path: string): Answer<{ files: StoredFileInfo[] }>;
  /** Lines of one file; `offsetLines` counts from 0. */
  read(filePath: string, offsetLines?: number, limitLines?: number): Answer<StoredLines>;
  readRaw(filePath: string): Answer<{
    data: { content: string; mimeType: string; created_at: string; modified_at: string };
  }>;
  /** Lines that contain a text, in one file or in all. */
  grep(
    text: string,
    path?: string | null,
    glob?: string | null,
    maxCount?: number | null,
  ): Answer<{ matches: LineMatch[]; truncated: boolean }>;
  glob(pattern: string, path?: string): Answer<{ files: StoredFileInfo[] }>;
  write(filePath: string, content: string): { error: string };
  edit(filePath: string, oldText: string, newText: string): { error: string };
}

/** All files are in one folder. */
const ROOT = ["/", ""];
const MAX_LISTED_FILES = 1000;
const MAX_LIST_PAGES = 20;
const DEFAULT_MAX_MATCHES = 1000;
const MAX_WHOLE_BYTES = 10 << 20;
const READ_ONLY = { error: "Stored tool outputs are read-only. Write to another folder." };
const SEARCH = {
  literal: true,
  ignoreCase: false,
  invert: false,
  onlyMatching: false,
  before: 0,
  after: 0,
  skip: 0,
  maxOutputBytes: 1 << 20,
} as const;

/**
 * Makes stored outputs readable for a deep agent's `ls`, `read_file`, `grep` and `glob`. Mount it in a
 * `CompositeBackend`, at `/offloads/` or any other folder. Files have the names used in the descriptors, and only those
 * of the calling thread exist. These tools cut long lines; the drill-in tools read every byte. Its methods return
 * errors and never reject. What `read_file` shows counts as a drill-in under its name.
 */
export function offloadBackend(offloader: Offloader): OffloadBackend {
  const { core, notify } = internals(offloader);
  const context = core.drillIns();
  const { store, seen } = context;

  async function listed(path = "/", glob = "**"): Promise<StoredArtifact[]> {
    const isWanted = globMatcher(glob);
    if (!ROOT.includes(path)) return [];
    const sessionKey = await sessionKeyOfCall(store, currentPlace(), undefined);
    if (sessionKey === undefined) return [];
    const artifacts = await listArtifacts(offloader.store, sessionKey, MAX_LIST_PAGES);
    const newest = artifacts.slice(-MAX_LISTED_FILES);
    for (const artifact of newest) seen.remember(artifact);
    return newest.filter(({ fileName }) => isWanted(fileName));
  }

  async function found(filePath: string): Promise<StoredArtifact> {
    const { call } = await readingCall(offloader, currentPlace(), { id: filePath });
    const artifact =
      call === undefined
        ? "Stored outputs belong to a conversation."
        : await findIn(context, call)(filePath);
    if (typeof artifact === "string") throw new OffloadError("ARTIFACT_NOT_FOUND", artifact);
    const noText = noTextSentence(artifact, context);
    if (noText !== undefined) throw new OffloadError("INVALID_ARGUMENTS", noText);
    await noteRead(context, artifact);
    return artifact;
  }

  async function search(
    artifacts: readonly StoredArtifact[],
    pattern: string,
    limit: number,
  ): Promise<{ matches: LineMatch[]; truncated: boolean }> {
    const matches: LineMatch[] = [];
    let truncated = false;
    let failure: unknown;
    for (const artifact of artifacts) {
      const maxResults = limit - matches.length;
      if (maxResults <= 0) return { matches, truncated: true };
      const firstLineNumber = artifact.headerBytes > 0 ? 2 : 1;
      try {
        const { lines, totalMatches, timedOut, error } = await context.bodyCache.with(
          artifact,
          undefined,
          (source) =>
            context.grep().run({ ...SEARCH, source, pattern, maxResults, firstLineNumber }),
        );
        if (error !== undefined) throw new OffloadError("STORE_READ_FAILED", error);
        truncated ||= timedOut || totalMatches > lines.length;
        const path = `/${artifact.fileName}`;
        for (const { lineNumber: line, text } of lines) matches.push({ path, line, text });
      } catch (error) {
        failure = error;
        truncated = true;
      }
    }
    if (failure !== undefined && matches.length === 0) throw failure;
    return { matches, truncated };
  }

  return {
    ls: (path) => answered(async () => ({ files: infosOf(await listed(path)) })),
    read: (filePath, offsetLines = 0, limitLines = 500) =>
      answered(async () => {
        const startedAt = performance.now();
        const artifact = await found(filePath);
        const lines = await readLines(store, artifact, { offsetLines, limitLines });
        notify({
          type: "drilled-in",
          tool: "read_file",
          artifactId: artifact.id,
          sessionKey: artifact.sessionKey,
          failed: false,
          answerTokens: await core.countTokens(lines.content),
          durationMs: performance.now() - startedAt,
        });
        return lines;
      }),
    readRaw: (filePath) =>
      answered(async () => {
        const artifact = await found(filePath);
        if (artifact.sizeBytes > MAX_WHOLE_BYTES)
          throw new OffloadError(
            "LIMIT_EXCEEDED",
            `The file has ${artifact.sizeBytes} bytes; at most ${MAX_WHOLE_BYTES} are read at once. Read it by lines.`,
          );
        const content = decodeText(await store.read(artifact));
        const time = new Date(artifact.createdAt).toISOString();
        return { data: { content, mimeType: "text/plain", created_at: time, modified_at: time } };
      }),
    grep: (text, path, glob, maxCount) =>
      answered(async () => {
        const limit = maxCount ?? DEFAULT_MAX_MATCHES;
        if (text === "" || limit <= 0) return { matches: [], truncated: limit <= 0 };
        const place = path ?? "/";
        const artifacts = ROOT.includes(place)
          ? (await listed(place, glob ?? undefined)).filter(({ kind }) => kind !== "binary")
          : [await found(place)];
        return await search(artifacts, text, limit);
      }),
    glob: (pattern, path) =>
      answered(async () => ({ files: infosOf(await listed(path, pattern)) })),
    write: () => READ_ONLY,
    edit: () => READ_ONLY,
  };
}

function currentPlace(): RunSite {
  try {
    const { configurable, context } = getConfig();
    return { configurable, context, state: stateOfTask() };
  } catch {
    return {};
  }
}

function stateOfTask(): unknown {
  try {
    return getCurrentTaskInput();
  } catch {
    return undefined;
  }
}

function infosOf(artifacts: readonly StoredArtifact[]): StoredFileInfo[] {
  return artifacts.map(({ fileName, sizeBytes, createdAt }) => ({
    path: `/${fileName}`,
    is_dir: false,
    size: sizeBytes,
    modified_at: new Date(createdAt).toISOString(),
  }));
}

async function answered<Found>(answer: () => Promise<Found>): Answer<Found> {
  try {
    return await answer();
  } catch (error) {
    const isTold = OffloadError.isInstance(error);
    return { error: isTold ? error.message : "This stored output could not be read." };
  }
}
