const TYPE =
  /^(?:(?:export|default|declare|public|private|protected|internal|static|final|abstract|sealed|partial|open|data|pub|pub\(crate\)|unsafe) ){0,4}(?:class|interface|enum|struct|trait|protocol|namespace|object|module|record|union|impl(?:<[^{}]{1,80}>)?|mod|extension|type) {1,4}[\w$<][\w$.:<>, '&*-]{0,80}/;
const FUNCTION =
  /^(?:(?:export|default|declare|public|private|protected|internal|static|final|abstract|override|async|pub|pub\(crate\)|const|unsafe|extern|inline|virtual|suspend|open|local) ){0,5}(?:function\*?|def|fn|func|fun|sub|proc|macro_rules!)(?![\w$]) {0,3}(?:<[^()]{1,60}> {0,2})?(?:\([^()]{0,60}\) {0,2})?[\w$.:*?!]{1,80}/;
const VARIABLE_FUNCTION =
  /^(?:export (?:default )?)?(?:const|let|var) {1,3}([\w$]{1,80})(?: {0,2}:[^=]{1,80})? {0,3}= {0,3}(?:async )?(?:function\b|(?:<[^()]{1,80}>)?\([^()]{0,120}\)[^=]{0,40}=>|[\w$]{1,40} =>)/;
const EXPORTED =
  /^(?:export (?:default )?(?:const|let|var|async|type) {1,3}[\w$]{1,80}|(?:module\.)?exports\.[\w$]{1,80}(?= {0,2}=)|module\.exports(?= {0,2}=)|export default\b[\w$ ]{0,80})/;
const ASSIGNED =
  /^(?:[\w$]{1,60}\.){1,5}[\w$]{1,80} {0,3}= {0,3}(?:async )?(?:function\b|class\b|(?:<[^()]{1,80}>)?\([^()]{0,120}\) {0,2}=>|[\w$]{1,40} =>)/;
const METHOD =
  /^(?:[\w$<>[\],.?*&:~@]{1,60} {1,3}\*{0,2}){0,6}[#*&~]{0,2}[\w$:~]{1,80}(?:<[^()]{1,80}>)?(?:(?<=:) )?\([^;]{0,200}$/;
const SQL =
  /^create (?:or replace )?(?:temp |temporary |unique |materialized )?(?:table|view|index|function|procedure|trigger|type|schema)(?: if not exists)? [\w."`[\]]{1,100}/i;
const SHELL = /^[\w-]{1,60} ?\(\) ?\{?$/;

const STATEMENT =
  /^(?:if|else|for|foreach|while|switch|catch|return|await|throw|new|typeof|do|try|with|using|lock|elif|when|match|case|expect|describe|it|test|assert|print|echo|yield|delete|void(?! [\w:~]{1,80} ?\([^()]{0,200}\)[^().]{0,40}$)|super|not|and|or|in|is|from|import|package|use|require)\b/;
/** A line of an import. */
const IMPORTED_TYPE = /^type [\w$]{1,80}(?: as [\w$]{1,80})?,?$/;
const LIST_ITEM = /^(?:[-*+•>|]|\d{1,4}[.)]) /;
const LINK = "](";
/** A closing bracket only of one that follows a name, as in C before the line of the brace. */
const METHOD_END = /(?:[{,(:]|=>|\w\([^()]{0,200}\))$/;
const OF_TYPE =
  /^namespace\b|\b(?:class|interface|struct|trait|impl|enum|object|record|protocol|extension|module)\b/;

/**
 * `undefined` if the line begins no definition.
 *
 * @param start - The line without its indentation.
 * @param around - The line that opens the surrounding block.
 */
export function definitionIn(
  start: string,
  indent: number,
  around: string | undefined,
): string | undefined {
  if (LIST_ITEM.test(start) || IMPORTED_TYPE.test(start)) return undefined;
  if (SQL.test(start)) return headOf(start);
  const found = TYPE.exec(start) ?? FUNCTION.exec(start);
  if (found !== null) return isPlain(start, found[0]) ? headOf(start) : undefined;
  if (VARIABLE_FUNCTION.test(start) || SHELL.test(start)) return headOf(start);
  if (indent === 0 && (EXPORTED.test(start) || ASSIGNED.test(start))) return headOf(start);
  const isPlace = indent === 0 ? / /.test(start) : around !== undefined && opensType(around);
  if (!isPlace || STATEMENT.test(start) || !start.includes("(")) return undefined;
  const end = start.trimEnd();
  if (!METHOD_END.test(end) || !METHOD.test(start) || start.includes(LINK)) return undefined;
  // A call that continues on the next line is no definition.
  const isOpen = end.endsWith("{") || end.endsWith("=>") || indent === 0;
  return isOpen ? headOf(start) : undefined;
}

export function opensType(start: string): boolean {
  return OF_TYPE.test(start);
}

function isPlain(start: string, found: string): boolean {
  const next = start.slice(found.length).trimStart();
  return (
    next === "" ||
    /^[({=:<;[,!"'@]|^(?:extends|implements|where|for|with|is|as|permits|returns)\b|^->/.test(next)
  );
}

function headOf(start: string): string {
  return start
    .trimEnd()
    .replace(/ ?[{:]?$/, "")
    .replace(/ ?(?:=>|=)?$/, "")
    .replace(/ ?= ?(?:async )?function\b ?[\w$]{0,80} ?(?=\()/, "")
    .replace(/^export (?:default )?/, "")
    .trimEnd();
}
