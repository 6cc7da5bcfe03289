import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Expression, type ModuleExportName, parseSync, type Statement, Visitor } from 'oxc-parser';
import { sourceFiles } from '../../structure/room-rule.ts';

type Module = ReturnType<typeof parseSync>;
type Body = { params: readonly unknown[] };

/** A regular expression that can run on over a text: it repeats something without a bound. */
const RUNS_ON = /(?:^|[^\\])(?:\\\\)*(?:[*+]|\{\d+,\})/;

/** Whether a module goes through texts by itself, by an expression that can run on or by a loop with an index. */
function goesThroughText({ program }: Module): boolean {
  let found = false;
  const see = (): void => void (found = true);
  new Visitor({
    Literal(node) {
      if ('regex' in node && RUNS_ON.test(node.regex.pattern)) see();
    },
    NewExpression({ callee }) {
      if (callee.type === 'Identifier' && callee.name === 'RegExp') see();
    },
    WhileStatement: see,
    DoWhileStatement: see,
    ForStatement: see,
  }).visit(program);
  return found;
}

/** Whether `string` stands anywhere in the types of the parameters. */
const takesText = ({ params }: Body): boolean =>
  JSON.stringify(params, (key, value: unknown) =>
    typeof value === 'bigint' || key === 'body' ? undefined : value,
  ).includes('TSStringKeyword');

/** What a statement declares that is given texts: functions, classes with a method and objects with a function that are. */
function declaredGivenText(declared: Statement | null): string[] {
  if (declared?.type === 'FunctionDeclaration') return takesText(declared) ? [declared.id!.name] : [];
  if (declared?.type === 'ClassDeclaration')
    return declared.body.body.some((part) => part.type === 'MethodDefinition' && takesText(part.value))
      ? [declared.id!.name]
      : [];
  if (declared?.type !== 'VariableDeclaration') return [];
  return declared.declarations.flatMap(({ id, init }) =>
    id.type === 'Identifier' && init !== null && isGivenText(init) ? [id.name] : [],
  );
}

function isGivenText(value: Expression): boolean {
  if (value.type === 'ArrowFunctionExpression' || value.type === 'FunctionExpression')
    return takesText(value);
  return (
    value.type === 'ObjectExpression' &&
    value.properties.some((part) => part.type === 'Property' && isGivenText(part.value))
  );
}

/** Names under which a module exports what is given texts. */
function exportsGivenText({ program }: Module): string[] {
  const own = new Set(program.body.flatMap((statement) => declaredGivenText(statement as Statement)));
  return program.body
    .flatMap((statement) => {
      if (statement.type !== 'ExportNamedDeclaration') return [];
      const renamed = statement.specifiers.flatMap(({ local, exported }) =>
        statement.source === null && own.has(nameOf(local)) ? [nameOf(exported)] : [],
      );
      return [...declaredGivenText(statement.declaration), ...renamed];
    })
    .sort();
}

const nameOf = (name: ModuleExportName): string => ('name' in name ? name.name : name.value);

/** Modules of a folder that export a function of a text and go through texts themselves, with these exports. */
export function textFunctions(electron: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const file of sourceFiles(electron)) {
    const module = parseSync(file, readFileSync(join(electron, file), 'utf8'));
    const names = exportsGivenText(module);
    if (names.length > 0 && goesThroughText(module)) found.set(file.replace(/\.ts$/, ''), names);
  }
  return found;
}
