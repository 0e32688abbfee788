import { Parser } from "htmlparser2";
import type { ShownHeading } from "./headings.js";

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  text: string;
}

/** A document of XML as the JSON that the jq tool makes of it: attributes are `@name`, text beside them or beside elements is `#text`; a path has one kind of value throughout. */
export function xmlDocument(text: string): unknown {
  const root: Element = { name: "", attributes: {}, children: [], text: "" };
  const open = [root];
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        const element = { name, attributes, children: [], text: "" };
        open.at(-1)?.children.push(element);
        open.push(element);
      },
      ontext(data) {
        const last = open.at(-1);
        if (last !== undefined) last.text += data;
      },
      onclosetag: () => void open.pop(),
    },
    { xmlMode: true },
  );
  parser.end(text);
  const repeated = new Set<string>();
  const objects = new Set<string>([""]);
  const look = (element: Element, path: string): void => {
    if (element.children.length > 0 || Object.keys(element.attributes).length > 0)
      objects.add(path);
    const seen = new Set<string>();
    for (const child of element.children) {
      const below = `${path}\n${child.name}`;
      if (seen.has(child.name)) repeated.add(below);
      seen.add(child.name);
      look(child, below);
    }
  };
  look(root, "");
  const valueOf = (element: Element, path: string): unknown => {
    const words = element.text.trim();
    if (!objects.has(path)) return words;
    const entries: [string, unknown][] = Object.entries(element.attributes).map(([key, value]) => [
      `@${key}`,
      value,
    ]);
    if (words !== "" && path !== "") entries.push(["#text", words]);
    for (const name of new Set(element.children.map((child) => child.name))) {
      const below = `${path}\n${name}`;
      const values = element.children
        .filter((child) => child.name === name)
        .map((child) => valueOf(child, below));
      entries.push([name, repeated.has(below) ? values : values[0]]);
    }
    return Object.fromEntries(entries);
  };
  return valueOf(root, "");
}

/** The title of a page and its headings. */
export function htmlTruth(text: string): {
  readonly title: string;
  readonly headings: readonly ShownHeading[];
} {
  const headings: ShownHeading[] = [];
  const lineAt = lineCounter(text);
  let title: string | undefined;
  let inside: "title" | "heading" | undefined;
  let words = "";
  let line = 0;
  const parser = new Parser({
    onopentagname(name) {
      if (/^h[1-6]$/.test(name)) [inside, words, line] = ["heading", "", lineAt(parser.startIndex)];
      if (name === "title" && title === undefined) [inside, words] = ["title", ""];
    },
    ontext: (data) => void (words += data),
    onclosetag(name) {
      const shown = words.replaceAll(/\s+/g, " ").trim();
      if (name === "title" && inside === "title") title = shown;
      if (/^h[1-6]$/.test(name) && inside === "heading" && shown !== "")
        headings.push({ line, level: Number(name[1]), text: shown });
      if (name === "title" || /^h[1-6]$/.test(name)) inside = undefined;
    },
  });
  parser.end(text);
  return { title: title ?? "", headings };
}

/** The line of an index, for indexes that rise. */
function lineCounter(text: string): (index: number) => number {
  let [line, at] = [1, 0];
  return (index) => {
    for (
      let next = text.indexOf("\n", at);
      next !== -1 && next < index;
      next = text.indexOf("\n", at)
    ) {
      line += 1;
      at = next + 1;
    }
    return line;
  };
}
