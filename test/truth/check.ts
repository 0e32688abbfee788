import { claimsOf } from "./grammar/descriptor.js";
import type { Claim } from "./grammar/scanner.js";
import { type Described, evidenceOf, type RawOutput } from "./truths/evidence.js";

/** What was found of one descriptor. */
export interface Finding {
  readonly claims: number;
  /** Claims that are false, each with what is true. */
  readonly wrong: readonly { readonly said: string; readonly truth: string }[];
  /** Lines whose grammar is unknown. */
  readonly notUnderstood: readonly string[];
  /** Claims that are understood but not computed again. */
  readonly notChecked: readonly string[];
}

/** Computes each claim of a descriptor again from the raw output. */
export function check(output: RawOutput, described: Described): Finding {
  const claims = claimsOf(described.descriptor);
  const evidence = evidenceOf(output, described);
  const wrong = claims.flatMap(({ said, truth: compute }) => {
    const truth = typeof compute === "string" ? undefined : compute(evidence);
    return truth === undefined ? [] : [{ said, truth }];
  });
  const saidOf = (word: Claim["truth"]): string[] =>
    claims.filter(({ truth }) => truth === word).map(({ said }) => said);
  return {
    claims: claims.length,
    wrong,
    notUnderstood: saidOf("not understood"),
    notChecked: saidOf("not checked"),
  };
}
