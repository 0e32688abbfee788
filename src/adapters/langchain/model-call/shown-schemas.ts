import { briefTypeOf } from "../../../describe/schema/type-script.js";
import { internals, type Offloader } from "../../../offload/offloader.js";
import { keepLatest } from "../../../util/keep-latest.js";
import { isStrict, type ShownTool, withReferenceSchema } from "../references/reference-schema.js";

/** Tools as a session's model is shown them, with what their outputs look like after their descriptions. */
export type ShownSchemas = <Tool extends object>(
  tools: readonly Tool[],
  sessionId: string | undefined,
) => readonly (Tool | ShownTool)[];

const MAX_SESSIONS = 1_000;
const CHARACTERS_PER_TOKEN = 4;

/**
 * Makes what shows the schemas of an agent's tools; `undefined` where none is to be shown. What a session's first call
 * shows of a tool is what all its calls show, so that prompt caches stay warm: later outputs teach later sessions.
 */
export function createShownSchemas(offloader: Offloader): ShownSchemas | undefined {
  const { toolSchemas } = offloader.options;
  if (toolSchemas?.show !== true) return undefined;
  const maxCharacters = CHARACTERS_PER_TOKEN * toolSchemas.maxTokens;
  const frozen = new Map<string, Map<string, string | undefined>>();
  const copies = new WeakMap<object, Map<string, ShownTool>>();

  function noteOf(toolName: string): string | undefined {
    const learned = internals(offloader).sharedSchemaOf(toolName);
    if (learned?.schema.properties === undefined) return undefined;
    const start = `One record of its earlier outputs (${learned.outputs}): `;
    const type = briefTypeOf(learned.schema, maxCharacters - start.length);
    return type === undefined ? undefined : `${start}${type}`;
  }

  /** A tool whose schema cannot be told as JSON stays as it is. */
  function shown<Tool extends object>(tool: Tool, note: string): Tool | ShownTool {
    const known = copies.get(tool) ?? new Map<string, ShownTool>();
    copies.set(tool, known);
    try {
      const copy = known.get(note) ?? withNote(tool, note);
      keepLatest(known, note, copy, MAX_SESSIONS);
      return copy;
    } catch {
      return tool;
    }
  }

  return (tools, sessionId) => {
    if (sessionId === undefined) return tools;
    const notes = frozen.get(sessionId) ?? new Map<string, string | undefined>();
    keepLatest(frozen, sessionId, notes, MAX_SESSIONS);
    return tools.map((tool) => {
      const name: unknown = Reflect.get(tool, "name");
      if (typeof name !== "string" || isStrict(tool)) return tool;
      if (!notes.has(name)) notes.set(name, noteOf(name));
      const note = notes.get(name);
      return note === undefined ? tool : shown(tool, note);
    });
  };
}

function withNote(tool: object, note: string): ShownTool {
  const plain = withReferenceSchema(tool, new Map());
  const description = [plain.description, note].filter((part) => part !== "").join("\n");
  return { ...plain, description };
}
