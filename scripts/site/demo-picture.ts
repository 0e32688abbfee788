/** Runs the demo and draws its figures: `docs/public/tokens.svg`, for the README and the home page. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";

import { labelOf, pictureOf, readDemo } from "./demo.js";

const args = ["--import", "tsx", "examples/01-quickstart/main.ts"];
const { MODEL: _, ...env } = process.env;
const demo = readDemo(spawnSync(process.execPath, args, { encoding: "utf8", env }).stdout);
writeFileSync("docs/public/tokens.svg", pictureOf(demo));
console.log(`docs/public/tokens.svg; its words in README.md and docs/index.md: ${labelOf(demo)}`);
