import { join } from "node:path";

import ts from "typescript";

/** One option as its type says it. */
export interface OptionDoc {
  /** As it is written: `decide.threshold`. */
  readonly path: string;
  readonly type: string;
  /** What stands behind `@defaultValue`; `undefined` for an option that only has parts. */
  readonly defaultValue: string | undefined;
  /** What stands behind `@remarks`. */
  readonly when: string | undefined;
  readonly text: string;
  readonly parts: readonly OptionDoc[];
}

const ROOT = join(import.meta.dirname, "../..");

/** Of what stands in the place of a type's name. */
const MAX_MEANT_CHARACTERS = 110;

/** Types of options that are explained where they are made, not part by part. */
const LEAVES = new Set(["ArtifactStore", "Gate", "Describer", "ToolShape", "OffloadOptions"]);

/**
 * The options that an interface of the source has, each with those in it.
 *
 * @param file - Below the root of the repository.
 */
export function readOptions(file: string, name: string): readonly OptionDoc[] {
  const path = join(ROOT, file);
  const config = ts.readConfigFile(join(ROOT, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, ROOT);
  const program = ts.createProgram([path], { ...options, noEmit: true });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(path);
  const symbol = source && checker.getSymbolAtLocation(source);
  const found = symbol && checker.getExportsOfModule(symbol).find((one) => one.name === name);
  if (found === undefined) throw new Error(`${file} exports no ${name}.`);
  return optionsOf(checker, checker.getDeclaredTypeOfSymbol(found), "");
}

function optionsOf(checker: ts.TypeChecker, type: ts.Type, before: string): readonly OptionDoc[] {
  return checker.getPropertiesOfType(type).flatMap((property) => {
    const declaration = property.declarations?.[0];
    if (declaration === undefined || !ts.isPropertySignature(declaration)) return [];
    const path = `${before}${property.name}`;
    const whole = checker.getNonNullableType(checker.getTypeOfSymbol(property));
    // It is there to be refused.
    if ((whole.flags & ts.TypeFlags.Never) !== 0) return [];
    const tags = property.getJsDocTags(checker);
    const tag = (name: string): string | undefined => {
      const found = tags.find((one) => one.name === name);
      return found && oneLine(ts.displayPartsToString(found.text));
    };
    return [
      {
        path,
        type: typeText(checker, declaration.type, whole),
        defaultValue: tag("defaultValue"),
        when: tag("remarks"),
        text: oneLine(ts.displayPartsToString(property.getDocumentationComment(checker))),
        parts: partsOf(checker, whole, `${path}.`),
      },
    ];
  });
}

/** The options in the one interface of this package's that a type consists of, beside `undefined`, `true` and texts. */
function partsOf(checker: ts.TypeChecker, type: ts.Type, before: string): readonly OptionDoc[] {
  const members = type.isUnion() ? type.types : [type];
  const parts = members.filter((member) => isOptions(member));
  return parts.length === 1 && parts[0] !== undefined ? optionsOf(checker, parts[0], before) : [];
}

/** Whether a type is a named group of options, all of which may be left out. */
function isOptions(type: ts.Type): boolean {
  if ((type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) === 0) return false;
  const isMapped =
    "objectFlags" in type && (Number(type.objectFlags) & ts.ObjectFlags.Mapped) !== 0;
  const name = (type.aliasSymbol ?? type.symbol)?.name ?? "";
  const properties = type.getProperties();
  const isOptional = properties.every((one) => (one.flags & ts.SymbolFlags.Optional) !== 0);
  return (
    !isMapped &&
    properties.length > 0 &&
    isOptional &&
    !LEAVES.has(name) &&
    type.getCallSignatures().length === 0
  );
}

/** The type as it is written, or what a short name of this package stands for. */
function typeText(checker: ts.TypeChecker, node: ts.TypeNode | undefined, type: ts.Type): string {
  const named = node && ts.isTypeReferenceNode(node) && node.typeArguments === undefined;
  const symbol = named ? checker.getSymbolAtLocation(node.typeName) : undefined;
  const isImported = symbol !== undefined && (symbol.flags & ts.SymbolFlags.Alias) !== 0;
  const declared = (isImported ? checker.getAliasedSymbol(symbol) : symbol)?.declarations?.[0];
  const meant =
    declared && ts.isTypeAliasDeclaration(declared) ? oneLine(declared.type.getText()) : undefined;
  const text = oneLine(node?.getText() ?? checker.typeToString(type));
  return (meant !== undefined && meant.length <= MAX_MEANT_CHARACTERS ? meant : text)
    .replaceAll(/\/\*\*.*?\*\/ /g, "")
    .replaceAll("readonly ", "")
    .replace(/^\| /, "")
    .replace(/ \| undefined$/, "");
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
