export { approvalDescription, type WaitingCall } from "./approval-description.js";
