export { references, type ReferencesOptions } from "./references.js";
