import { testReadersAgree } from "./readers-agree.js";

testReadersAgree({ batches: 8, batchSize: 12 });
