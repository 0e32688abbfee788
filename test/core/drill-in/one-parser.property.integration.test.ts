import { testReadersAgree } from "./readers-agree.js";

testReadersAgree({ batches: 1, batchSize: 5 });
