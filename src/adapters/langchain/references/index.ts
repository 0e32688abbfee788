/** Stored outputs as arguments of tools. */
export { approvalDescription, type WaitingCall } from "./approval-description.js";
export { references, type ReferencesOptions } from "./references.js";
