import { agents } from "./cases/agents.js";
import { mcp } from "./cases/mcp.js";
import { protocols } from "./cases/protocols.js";
import { references } from "./cases/references.js";
import { surfaces } from "./cases/surfaces.js";
import { corpus } from "./pins.js";

corpus("agents", agents);
corpus("mcp", mcp);
corpus("protocols", protocols);
corpus("references", references);
corpus("surfaces", surfaces);
