import { fieldOf } from "../../../util/field-of.js";
import type { RunSite } from "../run/call-site.js";
import { overridesOf } from "../run/run-overrides.js";

/** Whether a run asks for nothing to be stored: what has left stays so, and nothing else leaves. */
export function isSwitchedOff(site: RunSite): boolean {
  return fieldOf(overridesOf(site, undefined), "enabled") === false;
}
