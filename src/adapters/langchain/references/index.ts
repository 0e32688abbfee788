export { approvalDescription } from "./approval-description.js";
