import type { CommandEntry } from "./command.js";

/** Every command, in the order of the help. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: "ls",
    summary: "List stored outputs, newest first",
    load: async () => (await import("./commands/ls.js")).ls,
  },
  {
    name: "show",
    summary: "Show what is known about an output, and its recipes",
    load: async () => (await import("./commands/show.js")).show,
  },
  {
    name: "read",
    summary: "Read lines, characters or records, or everything",
    load: async () => (await import("./commands/read.js")).read,
  },
  {
    name: "grep",
    summary: "Search the lines of an output",
    load: async () => (await import("./commands/grep.js")).grep,
  },
  {
    name: "jq",
    summary: "Run a jq filter over the records of an output",
    load: async () => (await import("./commands/jq.js")).jq,
  },
  {
    name: "sql",
    summary: "Run a SELECT over the records of an output",
    load: async () => (await import("./commands/sql.js")).sql,
  },
  {
    name: "extract",
    summary: "Run a recipe of the descriptor",
    load: async () => (await import("./commands/extract.js")).extract,
  },
  {
    name: "describe",
    summary: "Print what a model would see of a file",
    load: async () => (await import("./commands/describe.js")).describe,
  },
  {
    name: "try",
    summary: "Make a model's calls yourself, with tokens counted",
    load: async () => (await import("./commands/try.js")).tryOut,
  },
  {
    name: "inspect",
    summary: "Serve a page that shows what agents store, see and read",
    load: async () => (await import("./commands/inspect.js")).inspect,
  },
  {
    name: "clean",
    summary: "Remove outputs that have expired",
    load: async () => (await import("./commands/clean.js")).clean,
  },
  {
    name: "proxy",
    summary: "Stand in front of an MCP server",
    load: async () => (await import("./commands/proxy.js")).proxy,
  },
  {
    name: "doctor",
    summary: "Say what is configured, where from, and what is missing",
    load: async () => (await import("./commands/doctor.js")).doctor,
  },
];
