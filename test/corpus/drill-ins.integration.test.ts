import { afterAll } from "vitest";

import { drillIns } from "./cases/drill-ins.js";
import { closeLibraries } from "./library.js";
import { corpus } from "./pins.js";

afterAll(closeLibraries);
corpus("drill-ins", drillIns);
