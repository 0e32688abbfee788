import { agents } from "./cases/agents.js";
import { drillIns } from "./cases/drill-ins.js";
import { mcp } from "./cases/mcp.js";
import { protocols } from "./cases/protocols.js";
import { stores } from "./cases/stores.js";
import { surfaces } from "./cases/surfaces.js";
import { corpus } from "./pins.js";

corpus("agents", agents);
corpus("drill-ins", drillIns);
corpus("mcp", mcp);
corpus("protocols", protocols);
corpus("stores", stores);
corpus("surfaces", surfaces);
