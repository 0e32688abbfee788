export type { AgingOptions } from "../../../plugins/aging/choose-stale.js";
export { aging } from "./aging-plugin.js";
export { type AgedMessages, ageMessages } from "./aging-plugin.js";
export { shownMessages } from "./messages.js";
