import { nearestNames } from "../../../util/nearest-names.js";
import type { Explained } from "./explained.js";
import type { SeenRecords } from "./reading/readings.js";

/** What is known where code failed. */
export interface FaultContext {
  /** The line, and the place in it that the engine names, from 1. */
  readonly source: string;
  readonly column: number;
  readonly seen: SeenRecords;
  readonly toolNames: readonly string[];
}

const MAX_NAMED = 12;
/** Of a line, before the property that was asked for. */
const MAX_BEFORE_CHARACTERS = 100;
const OUTPUTS = "outputs.open, outputs.lines, outputs.read and outputs.save";

/** Names of other places, and what stands for them here. */
const ELSEWHERE: readonly (readonly [RegExp, string])[] = [
  [
    /^(require|module|exports|__dirname)$/,
    `there are no modules: use plain JavaScript, and ${OUTPUTS}`,
  ],
  [/^(fetch|XMLHttpRequest|WebSocket)$/, `there is no network: read stored outputs by ${OUTPUTS}`],
  [
    /^(process|Deno|Bun|fs|os|path|Buffer)$/,
    `there is no environment and there are no files: use ${OUTPUTS}`,
  ],
  [
    /^(set(Timeout|Interval|Immediate)|clear(Timeout|Interval))$/,
    "there are no timers: leave it out",
  ],
  [/^(window|document|global|self)$/, "there is no page: globals are on globalThis"],
  [/^Intl$/, "there is no Intl: format by hand, such as n.toFixed(2)"],
  [
    /^(URL|URLSearchParams|TextDecoder|TextEncoder)$/,
    "only what the JavaScript language itself has is there: use string methods and regular expressions",
  ],
  [/^structuredClone$/, "use JSON.parse(JSON.stringify(value))"],
];

const LIST =
  "outputs.read(id) gives the records of this output as an array, without what stood around them";
const TYPES = "plain JavaScript, no types: leave out annotations, interfaces, enums and `as`";
/** Whatever is repeated is short, so that a line is looked at in linear time. */
const TYPED =
  /\b(?:const|let|var)\s{1,9}[\w$]{1,62}\s{0,9}:|[(,]\s{0,9}[\w$]{1,62}\??\s{0,9}:\s{0,9}[\w$<[\]|]{1,62}\s{0,9}[,)=]|\)\s{0,9}:\s{0,9}[\w$<[\]|]{1,62}\s{0,9}(?:\{|=>)|^\s{0,9}(?:export\s{1,9})?(?:interface|type|enum|declare|abstract)\s{1,9}[\w$]|\bas\s{1,9}(?:const|any|string|number|[A-Z])|\b(?:private|public|readonly)\s{1,9}[\w$]|<[\w$[\]]{1,62}>\s{0,9}[\w$(]/;

/** What to write instead, where that is likely; `undefined` where nobody knows. */
export function hintFor(explained: Explained, context: FaultContext): string | undefined {
  const { name, message } = explained;
  const { source } = context;
  if (message.startsWith("could not load module"))
    return `there are no modules: use plain JavaScript, and ${OUTPUTS}`;
  if (name === "SyntaxError") return syntaxHint(message, source);
  if (name === "ReferenceError") return nameHint(explained, context);
  const read = /^cannot read property '(.{1,100})' of (?:undefined|null)$/.exec(message);
  if (read !== null) return propertyHint(read[1] ?? "", context);
  if (message === "not a function") return callHint(context);
  if (message.endsWith("is not iterable") && /\boutputs\.read\b/.test(source))
    return "outputs.read(id) gives a whole document; outputs.open(id) gives its records";
  if (message === "out of memory")
    return 'keep aggregates or only the fields you need, not all records: outputs.open(id, ["a", "b"])';
  if (/BigInt/.test(message) && name !== "RangeError")
    return "write Number(n), or String(n), where a BigInt meets numbers or JSON";
  return undefined;
}

function syntaxHint(message: string, source: string): string | undefined {
  if (message.startsWith("unexpected token: 'object'") || /in JSON at position/.test(message)) {
    return /outputs\.(open|read)/.test(source) || message.startsWith("unexpected token: 'object'")
      ? "outputs.open and outputs.read give values that are parsed already: leave out JSON.parse"
      : undefined;
  }
  if (/^\s{0,9}(?:import\b|export\b)|\bimport\s{0,9}[{*(\w]/.test(source))
    return `no modules: leave out import and export; there are ${OUTPUTS}`;
  if (TYPED.test(source)) return TYPES;
  if (/^\s{0,9}(?:def|elif|from)\b|^\s{0,9}print\s{1,9}["']/.test(source))
    return "write JavaScript";
  return undefined;
}

function nameHint(
  { message, names }: Explained,
  { toolNames, seen: { fields } }: FaultContext,
): string | undefined {
  const name = /^(.{1,100}) is not defined$/.exec(message)?.[1];
  if (name === undefined) return undefined;
  const elsewhere = ELSEWHERE.find(([pattern]) => pattern.test(name));
  if (elsewhere !== undefined) return elsewhere[1];
  if (toolNames.includes(name)) return `tools are called as await tools.${name}({ … })`;
  if (/^(open|lines|read|save)$/.test(name)) return `write outputs.${name}(…)`;
  if (fields.includes(name)) return `${name} is a field of the records: write record.${name}`;
  const near = nearestNames(name, names);
  return near.length > 0 ? `did you mean ${near.join(" or ")}?` : undefined;
}

/** Of `a.b.c`, where `b` was nothing: whether `b` is a field, and which are. */
function propertyHint(property: string, { source, seen }: FaultContext): string | undefined {
  const before = /([\w$]{1,62})["'\]?)]{0,9}\s{0,9}\??\.?\s{0,9}\[?["']?$/.exec(
    source.slice(0, placeOf(property, source)).slice(-MAX_BEFORE_CHARACTERS),
  )?.[1];
  const { fields, asList } = seen;
  if (fields.length === 0) return undefined;
  const there = fields.slice(0, MAX_NAMED).join(", ");
  if (before !== undefined && !fields.includes(before)) {
    const near = nearestNames(before, fields);
    if (near.length > 0)
      return `no record has the field ${before}; did you mean ${near.join(" or ")}?`;
  }
  return asList
    ? `${LIST}; each has the fields ${there}`
    : `the records have the fields ${there}; where one may be missing write ?.${property}`;
}

function callHint({ source, column, toolNames, seen }: FaultContext): string | undefined {
  const rest = source.slice(Math.max(0, column - 1));
  const name = /^\s{0,9}\??\.?\s{0,9}([\w$]{1,62})/.exec(rest)?.[1];
  const tool = /\btools\.([\w$]+)/.exec(source)?.[1];
  if (tool !== undefined && !toolNames.includes(tool)) {
    const near = nearestNames(tool, toolNames);
    const there = near.length > 0 ? near : toolNames.slice(0, MAX_NAMED);
    return `there is no tools.${tool}; there are ${there.join(", ")}`;
  }
  const output = /\boutputs\.([\w$]+)/.exec(source)?.[1];
  if (output !== undefined && !/^(open|lines|read|save)$/.test(output))
    return `there are ${OUTPUTS}`;
  if (seen.asList && name !== undefined && name in String.prototype)
    return `${LIST}: outputs.lines(id) reads it as text`;
  if (name !== undefined && name in Array.prototype)
    return `what outputs.open and outputs.lines give is read once, from first to last: [...outputs.open(id)] is an array, with .${name}`;
  return name === undefined ? undefined : `${name} is no function here`;
}

/** Where a property is asked for in a line, behind its dot, blank, quote or bracket; the beginning where it is not. */
function placeOf(property: string, source: string): number {
  for (let at = source.indexOf(property); at >= 0; at = source.indexOf(property, at + 1)) {
    const isWhole = !/^[\w$]/.test(source.slice(at + property.length));
    if (isWhole && /^[.?\s"'[]$/.test(source.charAt(at - 1))) return at;
  }
  return 0;
}
