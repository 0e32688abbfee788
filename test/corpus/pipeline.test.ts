import { pipeline } from "./cases/pipeline.js";
import { corpus } from "./pins.js";

corpus("pipeline", pipeline);
