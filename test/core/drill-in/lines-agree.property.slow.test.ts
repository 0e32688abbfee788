import { testLinesAgree } from "./lines-agree.js";

testLinesAgree({ batches: 15, batchSize: 20 });
