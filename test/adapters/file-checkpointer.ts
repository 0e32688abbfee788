import { readFileSync, writeFileSync } from "node:fs";
import { deserialize, serialize } from "node:v8";

import { tool } from "@langchain/core/tools";
import { interrupt, MemorySaver } from "@langchain/langgraph";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { createAgent } from "langchain";

import { offloadMiddleware } from "../../src/adapters/langchain/offload-middleware.js";
import { fileStore } from "../../src/core/store/file/index.js";
import { scriptedModel } from "../../src/testing/scripted-model.js";
import { artifactsOf, rowsTool } from "./large-outputs.js";

/** A checkpointer whose checkpoints, as they were serialized, are a file that other processes read. */
class FileSaver extends MemorySaver {
  readonly #path: string;

  constructor(path: string) {
    super();
    this.#path = path;
    try {
      const kept = deserialize(readFileSync(path)) as Pick<MemorySaver, "storage" | "writes">;
      Object.assign(this, kept);
    } catch {
      // The first process finds no file.
    }
  }

  override async put(...args: Parameters<MemorySaver["put"]>): ReturnType<MemorySaver["put"]> {
    const config = await super.put(...args);
    this.#save();
    return config;
  }

  override async putWrites(...args: Parameters<MemorySaver["putWrites"]>): Promise<void> {
    await super.putWrites(...args);
    this.#save();
  }

  #save(): void {
    writeFileSync(this.#path, serialize({ storage: this.storage, writes: this.writes }));
  }
}

/** Where the checkpoints of a folder are: serialized in a file, or in a database of SQLite. */
export type SavedIn = "file" | "SQLite";

/**
 * An agent that offloads, waits for a person, reads what was stored and answers with it. All that it
 * keeps is in the folder, its checkpoints in the file `checkpoints`.
 */
export function agentInFolder(folder: string, saved: SavedIn): ReturnType<typeof createAgent> {
  const path = `${folder}/checkpoints`;
  const approved = tool(() => `answer: ${String(interrupt("count?"))}`, {
    name: "approved",
    description: "Asks a person first.",
  });
  return createAgent({
    model: scriptedModel([
      { toolCalls: [{ name: "list_rows", args: {} }] },
      { toolCalls: [{ name: "approved", args: {} }] },
      (messages) => ({
        toolCalls: [{ name: "read_tool_output", args: { id: artifactsOf(messages)[0]?.id } }],
      }),
      (messages) => messages.at(-1)?.text ?? "",
    ]),
    tools: [rowsTool(), approved],
    middleware: [offloadMiddleware({ store: fileStore({ directory: `${folder}/store` }) })],
    checkpointer: saved === "SQLite" ? SqliteSaver.fromConnString(path) : new FileSaver(path),
  });
}
