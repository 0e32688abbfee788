import { existsSync } from "node:fs";

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { figuresOf } from "../../bench/peers.js";
import { furtherOutcomes } from "../../bench/peers/further-outcomes.js";
import { measuredOutcomes } from "../../bench/peers/measured-outcomes.js";
import { verdictOf } from "../../bench/peers/verdict.js";

/** Enough to be over the limit of 80,000 characters that deepagents has, and quick. */
const RECORDS = 4000;

/** What `npm run bench -- peers` says of ours, the cases that we lose included. */
const VERDICTS: Readonly<Record<string, "better" | "same" | "worse">> = {};

describe("the bench of peers", () => {});
