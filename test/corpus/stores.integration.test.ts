import { stores } from "./cases/stores.js";
import { corpus } from "./pins.js";

corpus("stores", stores);
