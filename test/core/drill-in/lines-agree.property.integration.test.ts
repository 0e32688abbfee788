import { testLinesAgree } from "./lines-agree.js";

testLinesAgree({ batches: 2, batchSize: 12 });
