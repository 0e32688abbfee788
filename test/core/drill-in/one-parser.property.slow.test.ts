import { testReadersAgree } from "./readers-agree.js";

testReadersAgree({ batches: 5, batchSize: 12 });
