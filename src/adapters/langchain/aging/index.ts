export type { AgingOptions } from "../../../plugins/aging/choose-stale.js";
export { type AgedMessages, ageMessages, aging } from "./aging-plugin.js";
export { shownMessages } from "./messages.js";
