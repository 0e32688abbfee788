/** Every link of the built site leads to a page that is there, and to a heading that it has. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

const SITE = "docs/.vitepress/dist";
const base = process.env["DOCS_BASE"] ?? "/";
const attributes = (html: string, name: string): string[] =>
  [...html.matchAll(new RegExp(`\\s${name}="([^"]*)"`, "g"))].map(([, value = ""]) =>
    value.replaceAll("&amp;", "&"),
  );

const pages = new Map(
  readdirSync(SITE, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".html"))
    .map((name) => [name, readFileSync(join(SITE, name), "utf8")] as const),
);
const ids = new Map([...pages].map(([name, html]) => [name, new Set(attributes(html, "id"))]));

/** The file that a path of the site is served from. */
function fileOf(path: string): string | undefined {
  const isFile = (name: string): boolean =>
    existsSync(join(SITE, name)) && statSync(join(SITE, name)).isFile();
  return [path, `${path}.html`, join(path, "index.html")].find((name) => isFile(name));
}

const broken: string[] = [];
let count = 0;
for (const [name, html] of pages) {
  for (const link of [...attributes(html, "href"), ...attributes(html, "src")]) {
    if (/^([a-z]+:|\/\/)/.test(link) || link === "") continue;
    count += 1;
    const [path = "", hash = ""] = link.split("#");
    const inside = path.startsWith(base) ? path.slice(base.length) : join(dirname(name), path);
    const target = path === "" ? name : fileOf(normalize(decodeURI(inside)));
    if (target === undefined) broken.push(`${name}: ${link} is not there`);
    else if (hash !== "" && ids.get(target)?.has(decodeURIComponent(hash)) === false)
      broken.push(`${name}: ${link} has no such heading`);
  }
}
console.log(`${pages.size} pages, ${count} links, ${broken.length} broken`);
if (pages.size === 0 || broken.length > 0) {
  console.log(broken.slice(0, 100).join("\n"));
  process.exit(1);
}
