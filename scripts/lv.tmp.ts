import { leavesOf } from "./budget.ts"; import {readFileSync} from "node:fs";
let t=0;for (const f of process.argv.slice(2)) { const s=readFileSync(f,"utf8"); const n=leavesOf(f,s); t+=n; console.log(n, s.split("\n").length-1, f); } console.log(t);
