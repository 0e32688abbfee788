import { ask } from "./ask.mjs";

ask({ sql: process.argv[2] === "sql" }).then(
  (answer) => console.log(JSON.stringify(answer)),
  (error) => {
    console.error(error);
    process.exitCode = 1;
  },
);
