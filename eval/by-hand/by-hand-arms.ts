import { type Arm, ARMS } from "../arms.js";

/** The library as it comes. */
const OURS: Arm = {
  name: "ours",
  summary: "the library's defaults",
  agent: "offload",
  sql: "auto",
  maxCalls: () => 0,
};

/** The arms that tasks can be held in: one output a tool, so none that pages. */
export const BY_HAND_ARMS: readonly Arm[] = [
  OURS,
  { ...OURS, name: "ours+code", summary: "the library's defaults, with code", code: true },
  ...ARMS.filter(({ pageSize, lines }) => pageSize === undefined && lines !== true),
];
