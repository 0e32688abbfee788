import { agents } from "./cases/agents.js";
import { mcp } from "./cases/mcp.js";
import { stores } from "./cases/stores.js";
import { corpus } from "./pins.js";

corpus("agents", agents);
corpus("mcp", mcp);
corpus("stores", stores);
