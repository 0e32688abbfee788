/** Runs every example in a process of its own; one that fails, fails the whole. What pages show of the demo is so. */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

import { faultsOfFigures, faultsOfPage, readDemo } from "./site/demo.js";

const failed: string[] = [];
const names = readdirSync("examples").filter((name) => /^\d\d-/.test(name));
for (const name of names) {
  const { MODEL: _, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--import", "tsx", `examples/${name}/main.ts`],
    {
      encoding: "utf8",
      env,
      timeout: 120_000,
    },
  );
  console.log(`${status === 0 ? "ok  " : "FAIL"} examples/${name}`);
  if (status !== 0) {
    failed.push(name);
    console.log(stdout, stderr);
  } else if (name === "01-quickstart") comparePages(stdout);
}
if (names.length === 0 || failed.length > 0) process.exit(1);

function comparePages(printed: string): void {
  const demo = readDemo(printed);
  const picture = readFileSync("docs/public/tokens.svg", "utf8");
  const faults = [
    ...["README.md", "docs/index.md"].flatMap((page) =>
      faultsOfPage(readFileSync(page, "utf8"), demo).map((fault) => `${page}: ${fault}`),
    ),
    ...faultsOfFigures(picture, demo).map((fault) => `docs/public/tokens.svg: ${fault}`),
  ];
  if (faults.length === 0) return;
  failed.push("what pages show of the demo");
  console.log(
    `${faults.join("\n")}\nIs it meant to? npx tsx scripts/site/demo-picture.ts, and mend the pages.`,
  );
}
