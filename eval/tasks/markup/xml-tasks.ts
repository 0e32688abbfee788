import { sumBy, topItems } from "../data/reckon.js";
import { needing, type PracticeTask } from "../task.js";
import { CURRENCY_LINE, CURRENCY_XML, DEPENDENCY_GRAPH } from "./markup-data.js";

interface Entry {
  readonly country: string;
  readonly code: string;
  readonly number: string;
  readonly units: string;
}

function entries(): Entry[] {
  const found = CURRENCY_XML.load().matchAll(/<CcyNtry>([\s\S]*?)<\/CcyNtry>/g);
  return [...found].map(([, body = ""]) => {
    const of = (name: string): string =>
      new RegExp(`<${name}[^>]*>([^<]*)</${name}>`).exec(body)?.[1]?.trim() ?? "";
    return {
      country: of("CtryNm"),
      code: of("Ccy"),
      number: of("CcyNbr"),
      units: of("CcyMnrUnts"),
    };
  });
}

/** Questions about XML. */
export const XML_TASKS: readonly PracticeTask[] = [
  {
    id: "xml-euro",
    kind: "xml",
    outputs: [needing(CURRENCY_XML, "CcyNtry", "Ccy")],
    question:
      "How many entries (CcyNtry) have the currency EUR, and how many have no currency code at all? Answer [number, number].",
    form: "list",
    answer: () => [
      entries().filter(({ code }) => code === "EUR").length,
      entries().filter(({ code }) => code === "").length,
    ],
  },
  {
    id: "xml-no-units",
    kind: "xml",
    outputs: [needing(CURRENCY_XML, "Ccy", "CcyMnrUnts")],
    question: "Which currencies (codes) have 3 or 4 minor units (CcyMnrUnts)?",
    form: "set",
    answer: () => [
      ...new Set(entries().flatMap(({ code, units }) => (/^[34]$/.test(units) ? [code] : []))),
    ],
  },
  {
    id: "xml-shared-currencies",
    kind: "xml",
    outputs: [needing(CURRENCY_LINE, "CcyNtry", "Ccy")],
    question:
      "Which two currency codes do the most entries have? Answer [code, entries, code, entries], most first.",
    form: "list",
    answer: () => {
      const counts = sumBy(
        entries().filter(({ code }) => code !== ""),
        ({ code }) => code,
      );
      return topItems([...counts], ([, count]) => count, 2).flat();
    },
  },
  {
    id: "xml-several-currencies",
    kind: "xml",
    outputs: [needing(CURRENCY_LINE, "CtryNm", "Ccy")],
    question: "Which countries (CtryNm) have three entries or more?",
    form: "set",
    answer: () =>
      [...sumBy(entries(), ({ country }) => country)].flatMap(([country, count]) =>
        count >= 3 ? [country] : [],
      ),
  },
  {
    id: "xml-graph-nodes",
    kind: "xml",
    outputs: [needing(DEPENDENCY_GRAPH, "node", "title")],
    question:
      "How many nodes (g elements of class node) and how many edges (g elements of class edge) does the graph have? Answer [nodes, edges].",
    form: "list",
    answer: () =>
      ["node", "edge"].map(
        (name) => [...DEPENDENCY_GRAPH.load().matchAll(new RegExp(`class="${name}"`, "g"))].length,
      ),
  },
];
