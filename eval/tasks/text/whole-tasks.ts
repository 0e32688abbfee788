import { needing, type PracticeTask } from "../task.js";
import { APACHE, HOOKS_PAGE, MPL, REQUEST_PAGE, VALIDATION_PAGE } from "./text-data.js";

/** Questions that need a document as a whole. */
export const WHOLE_TASKS: readonly PracticeTask[] = [
  {
    id: "whole-mpl",
    kind: "whole",
    outputs: [needing(MPL, "Mozilla Public License")],
    question:
      "Sum up this licence in four numbers: how many terms section 1 defines; for how many days after coming back into compliance a contributor may still give notice before the grants are reinstated for good; how many days after receipt of a first notice one has to become compliant; and how many sections of the first level it has. Answer as a list of these numbers in this order.",
    form: "list",
    answer: () => {
      const text = MPL.load().replaceAll(/[ \t]*\n[ \t]*/g, "\n");
      const flat = text.replaceAll("\n", " ");
      return [
        [...text.matchAll(/^1\.\d+\. /gm)].length,
        Number(/prior to (\d+) days after You have come back/.exec(flat)?.[1]),
        Number(/prior to (\d+) days after Your receipt/.exec(flat)?.[1]),
        [...text.matchAll(/^[* \t]*\d+\. [A-Z]/gm)].length,
      ];
    },
  },
  {
    id: "whole-apache",
    kind: "whole",
    outputs: [needing(APACHE, "Apache License")],
    question:
      "Sum up this licence in three numbers: how many paragraphs of section 1 begin with a term in quotation marks that they define, how many numbered sections the terms and conditions have, and how many lettered conditions section 4 has. Answer as a list of these numbers.",
    form: "list",
    answer: () => {
      const flat = APACHE.load().replaceAll(/\s+/g, " ");
      const [, definitions = ""] = /1\. Definitions([\s\S]*?)2\. Grant/.exec(APACHE.load()) ?? [];
      const fourth = flat.slice(flat.indexOf("4. Redistribution"), flat.indexOf("5. Submission"));
      return [
        [...definitions.matchAll(/^\s*"/gm)].length,
        [...flat.matchAll(/ (\d)\. [A-Z][a-z]+/g)].length,
        [...fourth.matchAll(/ \(?([a-d])[).] /g)].length,
      ];
    },
  },
  {
    id: "whole-request",
    kind: "whole",
    outputs: [needing(REQUEST_PAGE, "Request")],
    question:
      "The page lists properties of the request at its beginning (the entries under Properties) and explains them below under headings of the fifth level. Which explained properties come with at least one code block of their own? Give their names without the dot, in the order of the page.",
    form: "list",
    answer: () => {
      const page = REQUEST_PAGE.load();
      const properties = page.slice(page.indexOf("#### Properties"), page.indexOf("#### Methods"));
      return properties
        .split(/^##### \./m)
        .slice(1)
        .filter((section) => section.includes("```"))
        .map((section) => section.split("\n")[0]?.trim() ?? "");
    },
  },
  {
    id: "whole-hooks",
    kind: "whole",
    outputs: [needing(HOOKS_PAGE, "Hooks")],
    question:
      "Read the page and say for which hooks that have a section of their own (headings of the third level whose text is the hook's name, onRequest to onRegister) the examples show a function with the word async. Give the hooks in the order of the page.",
    form: "list",
    answer: () =>
      HOOKS_PAGE.load()
        .split(/^### (?=(?:on|pre)[A-Z])/m)
        .slice(1)
        .map((section) => section.split(/^#{2,3} /m)[0] ?? "")
        .filter((section) =>
          [...section.matchAll(/```[\s\S]*?```/g)].some(([code]) => /\basync\b/.test(code)),
        )
        .map((section) => section.split("\n")[0]?.trim() ?? ""),
  },
  {
    id: "whole-validation",
    kind: "whole",
    outputs: [needing(VALIDATION_PAGE, "Validation")],
    question:
      "How many code blocks whose fence begins its line (not inside a quotation) does the page have, and how many notes or warnings (paragraphs that begin with a quotation mark of Markdown, >, counted as one while lines follow each other)? Answer [blocks, notes].",
    form: "list",
    answer: () => {
      const page = VALIDATION_PAGE.load();
      const blocks = [...page.matchAll(/^\s*```[\s\S]*?^\s*```/gm)];
      const without = page.replaceAll(/^\s*```[\s\S]*?^\s*```/gm, "");
      const notes = [...without.matchAll(/(?:^>.*\n)+/gm)];
      return [blocks.length, notes.length];
    },
  },
];
