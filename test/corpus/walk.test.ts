import { content } from "./cases/content.js";
import { decisions } from "./cases/decisions.js";
import { presets } from "./cases/presets.js";
import { streams } from "./cases/streams.js";
import { turns } from "./cases/turns.js";
import { corpus } from "./pins.js";

corpus("content", content);
corpus("decisions", decisions);
corpus("presets", presets);
corpus("streams", streams);
corpus("turns", turns);
