import { randomUUID } from "node:crypto";
import { dirname } from "node:path";

import { type BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { StructuredTool } from "@langchain/core/tools";
import * as z from "zod";

import { references as referencesPlugin } from "../../src/adapters/langchain/references/references.js";
import { extract } from "../../src/presets/index.js";
import { code } from "../../src/plugins/code/code.js";
import {
  type AccessRule,
  createOffloader,
  fileStore,
  type Offloader,
  type OffloadOptions,
  type StoredArtifact,
} from "../../src/index.js";
import { newArtifactId } from "../../src/core/store/naming.js";
import type { ScriptedTurn } from "../../src/testing/scripted-model.js";
import { calling, toolNamed } from "../adapters/agents.js";

/** What two processes have to share. */
export interface Place {
  readonly folder: string;
}

/** The output that readers ask for, a saved one with a title, and one of a session that gives nothing to anybody. */
export type Stored = Pick<StoredArtifact, "id" | "fileName" | "filePath" | "title" | "sessionKey">;
export interface Outputs {
  readonly own: Stored;
  readonly titled: Stored;
  readonly foreign: Stored;
}

/** What is in every record of the first two, and what is in those of the third. */
const OWN_TEXT = "canary of the owner";
const FOREIGN_TEXT = "canary of a stranger";
const OWN_TITLE = "Rows that the owner saved";
const FOREIGN_TITLE = "Rows of a stranger";
const rows = (note: string): object[] =>
  Array.from({ length: 300 }, (_, id) => ({ id, note: `${note}, row ${id}` }));

/** What the rule of all offloaders gives, by the session that asks. */
export const opened: Map<string, AccessRule> = new Map();

/** The options of all offloaders over a place. */
export const optionsOver = ({ folder }: Place): OffloadOptions => ({
  store: fileStore({ directory: folder }),
  plugins: [code(), extract()],
  drillIn: {
    sql: {},
    timeoutMs: 600_000,
    // A proxy has the second and the third only by their names.
    names: { extract: "lro_extract", grep: "grep_tool_output", jq: "jq_tool_output" },
  },
  access: (read) => opened.get(read.sessionId)?.(read) ?? [],
});

/** An offloader as a process has it: what it has met is in no other's memory. */
export const openOver = (place: Place, more: OffloadOptions = {}): Offloader =>
  createOffloader({
    ...optionsOver(place),
    ...more,
    plugins: [referencesPlugin({ auto: false }), ...(optionsOver(place).plugins ?? [])],
    perTool: { take_rows: { plugins: { references: ["rows"] } } },
  });

export const listRows: StructuredTool = toolNamed("list_rows", () =>
  JSON.stringify(rows(OWN_TEXT)),
);

/** Shows what it was given, as no real tool should: what a reference stands for is seen by it. */
export const takeRows: StructuredTool = toolNamed(
  "take_rows",
  (given: { rows: { note?: string }[] }) => `Taken: ${given.rows[0]?.note}`,
  z.object({ rows: z.array(z.any()) }),
);

/** What an owner's agent does: one output of a tool, and one that it saves with a title. */
export const storing: readonly ScriptedTurn[] = [
  calling("list_rows"),
  calling("code_tool_output", {
    code: `return outputs.save(${JSON.stringify(OWN_TITLE)}, ${JSON.stringify(rows(OWN_TEXT).slice(0, 9))})`,
  }),
];

/** What a conversation carries of its outputs. */
export function carriedIn(messages: readonly BaseMessage[], foreign: Stored): Outputs {
  const [own, titled] = messages.flatMap((message) =>
    ToolMessage.isInstance(message) ? [message.artifact].flat().filter(Boolean) : [],
  ) as Stored[];
  if (own === undefined || titled === undefined) throw new Error("Not stored.");
  return { own, titled, foreign };
}

export async function putForeign(offloader: Offloader): Promise<Stored> {
  const session = { sessionId: "stranger", title: FOREIGN_TITLE };
  return (await offloader.put(rows(FOREIGN_TEXT), session)).storedArtifact;
}

/** An output of a reader's own. */
export async function putBeside(offloader: Offloader, sessionId: string): Promise<string> {
  return (await offloader.put([{ note: "beside" }], { sessionId })).storedArtifact.id;
}

/** Columns of the table; what follows `forged` must be unknown to everybody. */
export const FORMS = ["id", "file name", "path", "title", "traversal"] as const;
export const NEVER = ["forged", "foreign"] as const;
type Column = (typeof FORMS)[number] | (typeof NEVER)[number] | "unknown";

/** The readers' own outputs come first: of what an offloader has met, its answers tell. */
type Asked = readonly [Column | "own", reference: string, by?: "each" | "one"];

/**
 * Rounds of references. By some of them all tools ask, by the others those that are wide. Titles come before ids: what an
 * offloader has met by its id it knows by its title, too.
 */
function references({ own, titled, foreign }: Outputs, beside: string | undefined): Asked[][] {
  const folder = dirname(own.filePath ?? "");
  const unknown = newArtifactId(Date.now());
  return [
    beside === undefined ? [] : [["own", beside, "one"]],
    [
      ["unknown", unknown],
      ["title", titled.title ?? ""],
      ["foreign", foreign.title ?? ""],
    ],
    [["id", own.id, "each"]],
    [
      ["unknown", unknown, "each"],
      ["file name", own.fileName],
      ["path", own.filePath ?? ""],
      ["traversal", `${folder}/x/../${own.fileName}`],
      ["forged", forgedOf(own), "each"],
      ["foreign", foreign.id, "each"],
      ["foreign", foreign.filePath ?? ""],
      ["foreign", `../${foreign.sessionKey}/${foreign.fileName}`],
    ],
  ];
}

/** An id as the owner's store could have made it. */
export const forgedOf = ({ id }: Stored): string =>
  id.slice(0, -1) + (id.endsWith("0") ? "1" : "0");

/** One call of a reader: by its key the answer is known again. */
interface Question {
  readonly key: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}
/** Gives the texts of the answers by the keys of the questions; rounds are one after the other. */
export type Ask = (rounds: readonly (readonly Question[])[]) => Promise<Map<string, string>>;

/** The calls that read an output: what the table calls it, the tool, and its arguments. */
export type Kit = Readonly<
  Record<string, readonly [name: string, args: (reference: string) => Record<string, unknown>]>
>;
export const DRILL_INS: Kit = {
  read: ["read_tool_output", (id) => ({ id, end_line: 3 })],
  grep: ["grep_tool_output", (id) => ({ id, pattern: "canary", max_results: 1 })],
  jq: ["jq_tool_output", (id) => ({ id, filter: ".note", limit: 1 })],
  sql: ["sql_tool_output", (id) => ({ id, query: "SELECT note FROM output LIMIT 1" })],
  code: [
    "code_tool_output",
    (id) => ({ code: `for (const { note } of outputs.open(${JSON.stringify(id)})) return note;` }),
  ],
  extract: ["lro_extract", (id) => ({ file_path: id, query: ".note" })],
};
export const REFERENCE: Kit = { $output: ["take_rows", (id) => ({ rows: { $output: id } })] };
/** As the second output of a query on one of the reader's own. */
const besideKit = (id: string): Kit => ({
  with: [
    "jq_tool_output",
    (other) => ({ id, filter: "$b[0].note", slurp: true, with: { b: other } }),
  ],
});

/** A reader at a way in, and how it asks. */
export interface Row {
  readonly way: string;
  readonly reader: string;
  /** Of what the rule `access` gives. */
  readonly isAccess?: boolean;
  /** It must get nothing, whatever the table says. */
  readonly isStranger?: boolean;
  readonly kit: Kit;
  readonly outputs: Outputs;
  /** Tools that are asked by each form of reference; the others only by ids. Default: all. */
  readonly wide?: readonly string[];
  /** The id of an output of its own. */
  readonly beside?: string | undefined;
  readonly ask: Ask;
  /** All that it can have listed. */
  readonly list?: () => Promise<string>;
}

/** A line of the table, and what must be empty in any. */
export interface Line extends Pick<Row, "way" | "reader" | "isAccess" | "isStranger"> {
  readonly cells: Readonly<Record<string, string>>;
  /** What answers have of the session that gives nothing, and strangers' answers of the owner. */
  readonly leaks: readonly string[];
  /** Forged and foreign references that are not answered as unknown ones. */
  readonly told: readonly string[];
}

/** Asks every question, and gives only what class each answer is of. */
export async function examined(row: Row): Promise<Line> {
  const { way, reader, isAccess = false, isStranger = false, outputs, beside, wide } = row;
  const kit = { ...row.kit, ...(beside !== undefined && besideKit(beside)) };
  const asked = references(outputs, beside).map((references, round) =>
    references.flatMap(([column, reference, asks]) =>
      Object.entries(kit)
        .filter(([by], at) => isAsked[asks ?? "wide"](at, wide?.includes(by) !== false))
        .map(([by, [name, args]]) => {
          const question = { key: randomUUID(), name, args: args(reference) };
          return { ...question, round, column, by, reference };
        }),
    ),
  );
  const answers = await row.ask(asked.filter((round) => round.length > 0));
  const listing = await row.list?.();
  const all = asked.flat().map((question) => {
    const { key, name, reference } = question;
    const text = answers.get(key);
    if (text === undefined) throw new Error(`${way}, ${reader}: no answer to ${name}`);
    // Neither what was asked for, in whole or cut in a quoted line of code, nor how long it took is a difference.
    const plain = [reference, key].reduce((left, one) => left.replaceAll(one, "…"), text);
    const quoted = plain.replaceAll(/^Line \d+: .*$/gm, "…");
    return { ...question, text, plain: quoted.replaceAll(/[\d.,]+ m?s\b/g, "…") };
  });
  const outcomes = all.map(({ round, column, by, text, plain }) => {
    const unknown = all.filter((one) => one.column === "unknown" && one.by === by);
    const same = unknown.find((one) => one.round === round) ?? unknown.at(-1);
    const isWhole = text.includes(OWN_TEXT) || text.includes(FOREIGN_TEXT);
    const otherwise = plain === same?.plain ? "unknown" : "refused";
    return { column, by, outcome: isWhole ? "whole" : otherwise };
  });
  const cells = [...FORMS, ...NEVER].map((column) => {
    const own = outcomes.filter((one) => one.column === column);
    return [column, cell(own)] as const;
  });
  const isListed = listing?.includes(outputs.own.id) ? "listed" : "absent";
  const texts = [...all.map(({ text }) => text), listing ?? ""];
  const plains = [...all.map(({ plain }) => plain), listing ?? ""];
  const secrets = isStranger ? [FOREIGN_TEXT, OWN_TEXT] : [FOREIGN_TEXT];
  const foreignNames = [outputs.foreign.fileName, ...(isStranger ? [outputs.own.fileName] : [])];
  return {
    way,
    reader,
    isAccess,
    isStranger,
    cells: { ...Object.fromEntries(cells), lists: listing === undefined ? "n/a" : isListed },
    leaks: [
      ...texts.filter((text) => secrets.some((secret) => text.includes(secret))),
      ...plains.filter((text) => foreignNames.some((name) => text.includes(name))),
    ],
    told: outcomes
      .filter(({ column, outcome }) => NEVER.some((one) => one === column) && outcome !== "unknown")
      .map(({ column, by, outcome }) => `${column} by ${by}: ${outcome}`),
  };
}

const isAsked = {
  each: () => true,
  wide: (_: number, isWide: boolean) => isWide,
  one: (at: number) => at === 0,
};

/** One word, and behind it the tools that answer otherwise. */
function cell(all: readonly { readonly by: string; readonly outcome: string }[]): string {
  const groups = new Map<string, Set<string>>();
  for (const { by, outcome } of all)
    groups.set(outcome, (groups.get(outcome) ?? new Set()).add(by));
  const [most, ...others] = [...groups].toSorted(([, one], [, two]) => two.size - one.size);
  return [most?.[0], ...others.map(([outcome, by]) => `${[...by].join(" ")}: ${outcome}`)].join(
    "; ",
  );
}
