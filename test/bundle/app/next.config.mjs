/** The include is the line that SQL needs where only traced files are deployed. */
export default {
  output: "standalone",
  distDir: process.env.DIST_FOLDER,
  outputFileTracingIncludes: { "/**": ["./node_modules/@duckdb/**/*"] },
};
