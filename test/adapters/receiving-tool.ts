import type { BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { StructuredTool } from "@langchain/core/tools";
import * as z from "zod";

import type { StoredArtifact } from "../../src/index.js";
import { toolNamed } from "./agents.js";
import { toolMessages } from "./large-outputs.js";

export type Args = Record<string, unknown>;
export type Row = { readonly id: number; readonly city: string };

export const rows: readonly Row[] = Array.from({ length: 2000 }, (_, id) => ({
  id,
  city: id % 2 ? "Rome" : "Oslo",
}));

export const toolListing = (listed: object): StructuredTool =>
  toolNamed("list_rows", () => JSON.stringify(listed));
export const listRows: StructuredTool = toolListing(rows);

const DEFAULT_SCHEMA = z.object({ rows: z.array(z.any()), title: z.string().optional() });

/** A tool that keeps what it was given. */
export function receiver(schema: z.ZodObject = DEFAULT_SCHEMA): {
  readonly given: Args[];
  readonly sendReport: StructuredTool;
} {
  const given: Args[] = [];
  const sendReport = toolNamed(
    "send_report",
    (args: Args) => {
      given.push(args);
      return "sent";
    },
    schema,
  );
  return { given, sendReport };
}

export const storedIn = (messages: readonly BaseMessage[]): StoredArtifact =>
  toolMessages(messages).findLast(({ artifact }) => artifact !== undefined)
    ?.artifact as StoredArtifact;
export const lastTool = (messages: readonly BaseMessage[]): ToolMessage =>
  toolMessages(messages).at(-1) as ToolMessage;
