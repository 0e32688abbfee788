/** Said of what is not found, whatever the reason, where grants decide what an agent reaches. */
export const NEEDS_GRANT: string =
  "(What another agent stored can be read here only if the application has granted it. Ask that agent for the part that you need.)";
