import { needing, type PracticeTask } from "../task.js";
import { ACORN_SOURCE, REPLY_SOURCE, ROUTE_SOURCE, STANDARD_TYPES } from "./text-data.js";

/** Questions about source code. */
export const CODE_TASKS: readonly PracticeTask[] = [
  {
    id: "code-interfaces",
    kind: "code",
    outputs: [needing(STANDARD_TYPES, "interface")],
    question:
      "How many interfaces does this file declare at the top level (lines that begin with interface), and on which line does interface Date first begin? Answer [number, line].",
    form: "list",
    answer: () => {
      const lines = STANDARD_TYPES.load().split("\n");
      const interfaces = lines.filter((line) => /^interface \w/.test(line));
      return [interfaces.length, lines.findIndex((line) => /^interface Date\b/.test(line)) + 1];
    },
  },
  {
    id: "code-throwing-methods",
    kind: "code",
    outputs: [needing(REPLY_SOURCE, "Reply.prototype")],
    question:
      "Which functions that are assigned to a member of Reply.prototype have a throw statement in their body? Give the members' names.",
    form: "set",
    answer: () =>
      [
        ...REPLY_SOURCE.load().matchAll(/^Reply\.prototype\.(\w+) = function [\s\S]*?^\}/gm),
      ].flatMap(([body, name = ""]) => (/\bthrow /.test(body) ? [name] : [])),
  },
  {
    id: "code-parser-methods",
    kind: "code",
    outputs: [needing(ACORN_SOURCE, "function")],
    question:
      "On which line is the function isIdentifierStart declared, and how many methods whose name begins with parse are assigned to a prototype that is called pp with a dollar sign and a number (such as pp$9.parseX = function)? Answer [line, number].",
    form: "list",
    answer: () => {
      const lines = ACORN_SOURCE.load().split("\n");
      return [
        lines.findIndex((line) => /^\s*function isIdentifierStart\b/.test(line)) + 1,
        lines.filter((line) => /^\s*pp\$\d+\.parse\w* = function/.test(line)).length,
      ];
    },
  },
  {
    id: "code-route-errors",
    kind: "code",
    outputs: [needing(ROUTE_SOURCE, "require")],
    question: "Which names does this file take from ./errors?",
    form: "set",
    answer: () => {
      const [, names = ""] =
        /const \{([^}]*)\} = require\('\.\/errors'\)/.exec(ROUTE_SOURCE.load()) ?? [];
      return names.match(/\w+/g) ?? [];
    },
  },
];
