import type { OffloadOptions } from "langchain-offload";
import { atlatl, lro, mcpagent, metaCc, vectara } from "langchain-offload/presets";

/** One way to hand a tool's records to a model. */
export interface Arm {
  readonly name: string;
  /** What it is, for the tables' legend. */
  readonly summary: string;
  /** Records a page when the tool pages; otherwise it returns all of them at once. */
  readonly pageSize?: number;
  /** The tool returns JSON lines; otherwise one JSON array on one line, as `JSON.stringify` makes it. */
  readonly lines?: boolean;
  /** Model calls in which a question must be answered, for so many pages. */
  readonly maxCalls: (pages: number) => number;
  /** What the agent has beside the tool. */
  readonly agent: "plain" | "offload" | "deepagents";
  readonly options?: () => OffloadOptions;
  /** With the SQL tool beside the others, or as it comes. @defaultValue `false` */
  readonly sql?: boolean | "auto";
  /** With the tool that runs JavaScript. @defaultValue `false` */
  readonly code?: boolean;
}

/** @source LRO paper: "20-turn message limit per task", taken as 20 calls of the model, the kinder reading. */
const PAPER_MAX_CALLS = 20;
/** @source LRO paper, the inline arms. */
const PAPER_PAGE_SIZE = 5;

const paperLimit = (): number => PAPER_MAX_CALLS;

/** Whole records, as the paper's inline arms were not given them, and as they were. */
const INLINE: readonly Arm[] = [
  {
    name: "inline",
    summary: "the whole set in one tool output",
    agent: "plain",
    maxCalls: paperLimit,
  },
  {
    name: "paged-20",
    summary: "pages of 5, 20 model calls: the paper's inline arm",
    agent: "plain",
    pageSize: PAPER_PAGE_SIZE,
    maxCalls: paperLimit,
  },
  {
    name: "paged-fair",
    summary: "pages of 5, as many model calls as there are pages and 20 more",
    agent: "plain",
    pageSize: PAPER_PAGE_SIZE,
    maxCalls: (pages) => pages + PAPER_MAX_CALLS,
  },
  {
    name: "truncated",
    summary: "the first 1,600 tokens and what is missing; no tools",
    agent: "offload",
    maxCalls: paperLimit,
    options: () => ({ mode: "truncate", threshold: { tokens: 1600 }, drillIn: false }),
  },
];

const OFFLOADED: readonly Pick<Arm, "name" | "summary" | "options">[] = [
  { name: "full", summary: "the usual descriptor", options: () => ({}) },
  { name: "bare", summary: "the bare descriptor", options: () => ({ describe: { form: "bare" } }) },
  { name: "lro", summary: "preset lro, the default", options: () => ({ preset: lro() }) },
  { name: "atlatl", summary: "preset atlatl", options: () => ({ preset: atlatl() }) },
  { name: "mcpagent", summary: "preset mcpagent", options: () => ({ preset: mcpagent() }) },
  { name: "vectara", summary: "preset vectara", options: () => ({ preset: vectara() }) },
  {
    name: "meta-cc",
    summary: "preset metaCc",
    options: () => ({ preset: metaCc() }),
  },
];

/** Every arm, in the order of the tables. */
export const ARMS: readonly Arm[] = [
  ...INLINE,
  ...OFFLOADED.flatMap((arm): Arm[] => [
    { ...arm, agent: "offload", maxCalls: paperLimit },
    {
      ...arm,
      name: `${arm.name}+sql`,
      summary: `${arm.summary}, with SQL`,
      agent: "offload",
      maxCalls: paperLimit,
      sql: true,
    },
  ]),
  {
    name: "deepagents",
    summary: "deepagents' own eviction to its file system",
    agent: "deepagents",
    maxCalls: paperLimit,
  },
  {
    name: "deepagents-lines",
    summary: "the same, and the tool returns one record a line, which its file tools are made for",
    agent: "deepagents",
    lines: true,
    maxCalls: paperLimit,
  },
];
