import { agents } from "./cases/agents.js";
import { protocols } from "./cases/protocols.js";
import { references } from "./cases/references.js";
import { surfaces } from "./cases/surfaces.js";
import { corpus } from "./pins.js";

corpus("agents", agents);
corpus("protocols", protocols);
corpus("references", references);
corpus("surfaces", surfaces);
