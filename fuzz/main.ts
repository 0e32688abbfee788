/**
 * Makes random outputs, block lists, options and questions, and checks the rules of the whole on what comes of them.
 * What is found is printed with the round that found it: `npm run fuzz -- --round N` plays that one again.
 */
import { parseArgs } from "node:util";

import { playPrograms } from "./code-round.js";
import { type Broken, playRound } from "./round.js";

const HELP = `npm run fuzz -- [--minutes N] [--seed N] [--round N]

  --minutes N   how long to go on (default 1)
  --seed N      the first round (default: by the clock)
  --round N     plays this one round only
`;
const SECONDS_BETWEEN_LINES = 30;
/** Longest that the event loop may be held, in milliseconds, on a machine that does other things too. */
const LONGEST_DELAY_MS = 2000;
/** Workers load their engines on this thread's cores: the first round is no measure. */
const WARM_ROUNDS = 1;

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "1" },
    seed: { type: "string" },
    round: { type: "string" },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}

const first = Number(values.round ?? values.seed ?? Date.now() % 1_000_000);
const minutes = Number(values.minutes);
if (!Number.isSafeInteger(first) || !(minutes > 0)) {
  console.error(`--seed and --round take a whole number, --minutes one above 0.\n\n${HELP}`);
  process.exit(2);
}

const rejections: Broken[] = [];
process.on("unhandledRejection", (error) => {
  rejections.push({ rule: "nothing rejects unheard", what: String(error), at: "unknown round" });
});

console.log(`fuzz: seed ${first}, ${values.round === undefined ? `${minutes} min` : "one round"}`);
const endsAt = performance.now() + minutes * 60_000;
const found: Broken[] = [];
let [outputs, drillIns, rounds, nextLineAt, longestMs] = [0, 0, 0, 0, 0];
do {
  const seed = first + rounds;
  const played = await playRound(seed);
  const { ms: heldMs, by } = played.held;
  if (rounds >= WARM_ROUNDS) longestMs = Math.max(longestMs, heldMs);
  const broken = [...played.broken, ...(await playPrograms(seed)), ...rejections.splice(0)];
  if (rounds >= WARM_ROUNDS && heldMs > LONGEST_DELAY_MS) {
    broken.push({
      rule: "9: the event loop goes on",
      what: `held for ${Math.round(heldMs)} ms`,
      at: by,
    });
  }
  for (const { rule, what, at } of broken) console.log(`BROKEN ${rule}\n  ${what}\n  ${at}`);
  found.push(...broken);
  outputs += played.outputs;
  drillIns += played.drillIns;
  rounds += 1;
  if (performance.now() > nextLineAt) {
    console.log(
      `${rounds} rounds, ${outputs} outputs, ${drillIns} drill-ins, ${found.length} broken, loop held ${Math.round(longestMs)} ms at most`,
    );
    nextLineAt = performance.now() + SECONDS_BETWEEN_LINES * 1000;
  }
} while (values.round === undefined && performance.now() < endsAt);

console.log(
  `fuzz: ${rounds} rounds, ${outputs} outputs, ${drillIns} drill-ins; ${found.length} broken, loop held ${Math.round(longestMs)} ms at most`,
);
process.exitCode = found.length > 0 ? 1 : 0;
