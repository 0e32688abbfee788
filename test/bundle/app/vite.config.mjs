/** All packages within, as a deployment without node_modules has them. */
export default { ssr: { noExternal: true } };
