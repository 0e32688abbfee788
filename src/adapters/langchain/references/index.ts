export {
  approvalDescription,
  references,
  type ReferencesOptions,
  type WaitingCall,
} from "./references.js";
