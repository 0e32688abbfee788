import { createFilesystemMiddleware, FilesystemBackend, StateBackend } from "deepagents";
import type { AgentMiddleware } from "langchain";

import type * as published from "../../src/index.js";

/** How storing fails: `full` is a full disk, told as each side's contract says; `throws` is an exception. */
export type StoreFault = "full" | "throws";

export interface SideOptions {
  readonly fault?: StoreFault;
  /** Each side's own default store instead of a folder of files. */
  readonly defaultStore?: boolean;
  /** Only the tools that read and search what was stored. */
  readonly fewTools?: boolean;
}

/** One of the two that are compared: every default, its files in the folder that it is given. */
export interface Side {
  readonly name: "ours" | "deepagents";
  open(directory: string, options?: SideOptions): OpenSide;
  /** The call that reads a stored output from its beginning. */
  read(place: string): ToolCall;
  /** The call that goes on after this answer; `undefined` at the end. */
  next(answer: string, place: string): ToolCall | undefined;
  grep(place: string, pattern: string): ToolCall;
  /** The call that counts records by their city; `undefined` where there is none but to read them. */
  countByCity(place: string): ToolCall | undefined;
  /** What the model names the output by, taken from what it sees in its place. */
  placeIn(descriptor: string): string;
}

export interface OpenSide {
  readonly middleware: AgentMiddleware;
  close(): Promise<void>;
}

export interface ToolCall {
  readonly name: string;
  readonly args: Record<string, unknown>;
}

/** Of an agent in these cases. */
export const THREADS = ["one", "two"] as const;

const NO_SPACE = "ENOSPC: no space left on device, write";
const TIME_OUT = "The store timed out.";
/** Their reader's default is 100; more lines in one call are cheaper, and their own limit cuts the answer. */
const THEIR_LINES = 10_000;

/** What is published: the engines' workers are built files. */
const built: typeof published = await import(new URL("../../dist/index.js", import.meta.url).href);

const ours: Side = {
  name: "ours",
  open(directory, { fault, defaultStore = false } = {}) {
    const store = fault ? failingStore(directory, fault) : built.fileStore({ directory });
    const offloader = built.createOffloader(defaultStore ? {} : { store });
    return {
      middleware: built.offloadMiddleware({ offloader }),
      close: async () => {
        if (defaultStore) await Promise.all(THREADS.map((id) => offloader.endSession(id)));
        await offloader.close();
      },
    };
  },
  read: (id) => ({ name: "read_tool_output", args: { id, start_line: 1 } }),
  next(answer) {
    const call = /\nNext call: (\w+) (\{.*\})$/.exec(answer);
    if (call?.[1] === undefined) return undefined;
    const args: Record<string, unknown> = JSON.parse(call[2] ?? "{}");
    return { name: call[1], args };
  },
  grep: (id, pattern) => ({ name: "grep_tool_output", args: { id, pattern } }),
  countByCity: (id) => ({
    name: "jq_tool_output",
    args: { id, filter: "group_by(.city) | map({city: .[0].city, count: length})", slurp: true },
  }),
  placeIn: (descriptor) => /"file_path":\s*"([^"]+)"/.exec(descriptor)?.[1] ?? "",
};

function failingStore(directory: string, fault: StoreFault): published.ArtifactStore {
  const message = fault === "full" ? NO_SPACE : TIME_OUT;
  return {
    ...built.fileStore({ directory }),
    put: async () => await Promise.reject(new Error(message)),
  };
}

const deepagents: Side = {
  name: "deepagents",
  open(directory, { fault, defaultStore = false, fewTools = false } = {}) {
    const files = new FilesystemBackend({ rootDir: directory, virtualMode: true });
    if (fault === "full") files.write = async () => ({ error: NO_SPACE });
    if (fault === "throws") files.write = async () => await Promise.reject(new Error(TIME_OUT));
    const backend = defaultStore ? new StateBackend() : files;
    return {
      middleware: createFilesystemMiddleware({
        backend,
        ...(fewTools && { tools: ["read_file", "grep"] }),
      }),
      close: async () => {},
    };
  },
  read: (path) => ({ name: "read_file", args: { file_path: path, limit: THEIR_LINES } }),
  next(answer, path) {
    const [, last, all] = /^@@ lines \d+-(\d+) of (\d+)/m.exec(answer) ?? [];
    if (last === undefined || last === all) return undefined;
    return {
      name: "read_file",
      args: { file_path: path, offset: Number(last), limit: THEIR_LINES },
    };
  },
  grep: (path, pattern) => ({ name: "grep", args: { path, pattern } }),
  countByCity: () => undefined,
  placeIn: (descriptor) => /\/large_tool_results\/\S*?\.txt/.exec(descriptor)?.[0] ?? "",
};

/** Ours, and theirs. */
export const SIDES: readonly [Side, Side] = [ours, deepagents];
