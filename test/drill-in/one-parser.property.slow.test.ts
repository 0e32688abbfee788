import { testReadersAgree } from "./readers-agree.js";

testReadersAgree({ batches: 20, batchSize: 12 });
