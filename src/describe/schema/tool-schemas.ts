import { keepLatest } from "../../util/keep-latest.js";
import type { RecordProfile } from "../profile/profile.js";
import { type LearnedSchema, schemaOfTool } from "./json-schema.js";
import { createLearnedTool, learn, type LearnedTool } from "./learned-shape.js";

/** What the outputs of tools have looked like, in this process. */
export interface ToolSchemas {
  learn(toolName: string, scope: string, profile: RecordProfile): void;
  /** Of one session, or of all without one; `undefined` before the first output with records. */
  schemaOf(toolName: string, scope?: string): LearnedSchema | undefined;
  /** What may be told in any session: fields that two of them have had, without values. */
  sharedSchemaOf(toolName: string): LearnedSchema | undefined;
  forget(scope: string): void;
}

/** Tools of all sessions together, and tools of single sessions. */
const MAX_TOOLS = 200;
const MAX_SESSION_TOOLS = 500;
/** Places of all tools in one of both: some 25 MB. */
const MAX_PLACES_OF_ALL = 25_000;

/** Creates a memory of the tools and sessions that were met last. */
export function createToolSchemas(): ToolSchemas {
  const ofAll = new Map<string, LearnedTool>();
  const ofSessions = new Map<string, LearnedTool>();
  return {
    learn(toolName, scope, profile) {
      if (profile.sampledCount === 0) return;
      const key = keyOf(scope, toolName);
      const all = ofAll.get(toolName) ?? createLearnedTool(scope);
      const own = ofSessions.get(key) ?? createLearnedTool(scope);
      learn(all, profile, scope);
      learn(own, profile, scope);
      keepLatest(ofAll, toolName, all, MAX_TOOLS);
      keepLatest(ofSessions, key, own, MAX_SESSION_TOOLS);
      for (const tools of [ofAll, ofSessions]) forgetFirst(tools);
    },
    schemaOf(toolName, scope) {
      const known =
        scope === undefined ? ofAll.get(toolName) : ofSessions.get(keyOf(scope, toolName));
      return known && schemaOfTool(known, { sharedOnly: false });
    },
    sharedSchemaOf(toolName) {
      const known = ofAll.get(toolName);
      return known && schemaOfTool(known, { sharedOnly: true });
    },
    forget(scope) {
      for (const key of ofSessions.keys()) if (key.startsWith(`${scope} `)) ofSessions.delete(key);
    },
  };
}

function keyOf(scope: string, toolName: string): string {
  return `${scope} ${toolName}`;
}

/** Forgets those that were met longest ago, where all have too many places. */
function forgetFirst(tools: Map<string, LearnedTool>): void {
  let places = 0;
  for (const tool of tools.values()) places += tool.places;
  for (const [key, tool] of tools) {
    if (places <= MAX_PLACES_OF_ALL) return;
    places -= tool.places;
    tools.delete(key);
  }
}
