import { RegExpParser, visitRegExpAST } from "@eslint-community/regexpp";
import type { AST } from "@eslint-community/regexpp";
import { analyse } from "scslre";
import ts from "typescript";

/** A regular expression whose time may grow faster than its text, and why. */
interface SlowExpression {
  readonly line: number;
  readonly expression: string;
  readonly why: string;
}

/** A quantifier that goes further is taken for one without end. */
const MAX_REPETITIONS = 200;

/**
 * Why an expression may take more than linear time, or `undefined`. Stricter than need be: an expression that
 * is searched for from every place may have a repetition without end only where nothing after it can fail.
 */
export function slownessOf(source: string, flags: string): string | undefined {
  const { reports } = analyse({ source, flags });
  const [report] = reports;
  if (report !== undefined)
    return `${report.exponential ? "exponential" : "polynomial"} (${report.type})`;
  const pattern = new RegExpParser().parsePattern(source, 0, source.length, {
    unicode: flags.includes("u"),
    unicodeSets: flags.includes("v"),
  });
  if (flags.includes("y")) return undefined;
  const open = pattern.alternatives.filter((alternative) => !isAnchored(alternative, flags));
  for (const alternative of open) {
    const [repeated] = endlessBefore(alternative);
    if (repeated !== undefined)
      return `searched for from every place, and ${repeated} may fail late`;
  }
  return undefined;
}

/** Every slow expression of a TypeScript file, and every one that is made at run time. */
export function slowExpressionsOf(fileName: string, text: string): SlowExpression[] {
  const file = ts.createSourceFile(fileName, text, ts.ScriptTarget.Latest, true);
  const found: SlowExpression[] = [];
  const add = (node: ts.Node, why: string): void => {
    const line = file.getLineAndCharacterOfPosition(node.getStart()).line + 1;
    found.push({ line, expression: node.getText(), why });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf("/");
      const why = slownessOf(node.text.slice(1, end), node.text.slice(end + 1));
      if (why !== undefined) add(node, why);
    }
    const isCall = ts.isNewExpression(node) || ts.isCallExpression(node);
    if (isCall && node.expression.getText() === "RegExp") add(node, "made at run time");
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function isAnchored({ elements }: AST.Alternative, flags: string): boolean {
  const [first] = elements;
  return first?.type === "Assertion" && first.kind === "start" && !flags.includes("m");
}

/** The repetitions without end behind which something may fail, the last ones of their alternative aside. */
function endlessBefore(alternative: AST.Alternative): string[] {
  const found: string[] = [];
  visitRegExpAST(alternative, {
    onQuantifierEnter(quantifier) {
      if (quantifier.max <= MAX_REPETITIONS) return;
      if (quantifier.element.type !== "Assertion" && !isLast(quantifier, alternative))
        found.push(quantifier.raw);
    },
  });
  return found;
}

/** Whether nothing stands behind a node that could fail. */
function isLast(node: AST.Node, end: AST.Alternative): boolean {
  for (let at: AST.Node = node; ;) {
    const parent: AST.Node | null = at.parent;
    if (parent === null) return true;
    if (parent.type === "Alternative") {
      const behind = parent.elements.slice(
        parent.elements.findIndex((element) => element === at) + 1,
      );
      if (behind.some((element) => element.type !== "Quantifier" || element.min > 0)) return false;
      if (parent === end) return true;
    }
    at = parent;
  }
}
