export { approvalDescription, type WaitingCall } from "./references.js";
export { references, type ReferencesOptions } from "./references.js";
