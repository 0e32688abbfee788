import { sumBy, topEntry } from "../data/reckon.js";
import { needing, type PracticeTask } from "../task.js";
import { AGENT_RULES } from "./markup-data.js";

const SECTIONS = ["user_agent_parsers", "os_parsers", "device_parsers"] as const;

/** The rules of a section, each as its lines. */
function rulesOf(section: (typeof SECTIONS)[number]): string[] {
  const text = AGENT_RULES.load();
  const start = text.indexOf(`${section}:`);
  const next = SECTIONS.map((name) => text.indexOf(`\n${name}:`)).filter((at) => at > start);
  const part = text.slice(start, Math.min(...next, text.length));
  return part.split(/^ +- (?=regex)/m).slice(1);
}

function member(rule: string, name: string): string | undefined {
  return new RegExp(`^ +${name}: *['"]?(.*?)['"]?\\s*$`, "m").exec(rule)?.[1];
}

/** Questions about YAML. */
export const YAML_TASKS: readonly PracticeTask[] = [
  {
    id: "yaml-lists",
    kind: "yaml",
    outputs: [needing(AGENT_RULES, "user_agent_parsers", "os_parsers", "device_parsers")],
    question:
      "How many rules are there under user_agent_parsers, os_parsers and device_parsers? Answer with the three numbers in this order.",
    form: "list",
    answer: () => SECTIONS.map((section) => rulesOf(section).length),
  },
  {
    id: "yaml-brand",
    kind: "yaml",
    outputs: [needing(AGENT_RULES, "device_parsers", "brand_replacement")],
    question:
      "Which brand_replacement do the most rules of device_parsers have, and how many? Answer [brand, rules].",
    form: "list",
    answer: () => {
      const brands = rulesOf("device_parsers").flatMap(
        (rule) => member(rule, "brand_replacement") ?? [],
      );
      const counts = sumBy(brands, (brand) => brand);
      return topEntry(counts);
    },
  },
  {
    id: "yaml-os-families",
    kind: "yaml",
    outputs: [needing(AGENT_RULES, "os_parsers", "os_replacement")],
    question:
      "How many rules of os_parsers have no os_replacement, and how many have the os_replacement Windows? Answer [number, number].",
    form: "list",
    answer: () => {
      const families = rulesOf("os_parsers").map((rule) => member(rule, "os_replacement"));
      return [
        families.filter((family) => family === undefined).length,
        families.filter((family) => family === "Windows").length,
      ];
    },
  },
];
