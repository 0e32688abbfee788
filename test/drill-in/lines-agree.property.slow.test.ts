import { testLinesAgree } from "./lines-agree.js";

testLinesAgree({ batches: 40, batchSize: 20 });
