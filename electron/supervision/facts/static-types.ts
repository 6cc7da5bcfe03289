import { logicalLines, type LogicalLine } from './program-reader.ts';

/** The value types a short program can be followed through by reading alone. */
export type PlainType = 'int' | 'list' | 'str';
export const PLAIN_TYPES: readonly PlainType[] = ['int', 'list', 'str'];

type Types = Map<string, PlainType>;
/** The program certainly fails on such values, which differs from not knowing. */
const CLASH = Symbol('types clash');
type Reading = PlainType | null | typeof CLASH;

const NUMBER_OF = /^(?:len|sum|abs|int|ord)\(.*\)$/;

/** Type of a small expression under `types`; null when reading does not show it. */
function typeOf(expression: string, types: Types): Reading {
  const text = expression.trim();
  // Longer expressions are none a reader follows at a glance, and their depth would be the caller's to choose.
  if (text.length > 300) return null;
  if (/^-?\d+$/.test(text)) return 'int';
  if (/^'[^']*'$/.test(text) || /^"[^"]*"$/.test(text)) return 'str';
  if (/^\[[^[\]]*\]$/.test(text)) return 'list';
  if (/^[^\W\d]\w*$/.test(text)) return types.get(text) ?? null;
  const call = /^(len|sum|abs|sorted|max|min)\(([^\W\d]\w*)(?:,\s*-?\d+)?\)$/.exec(text);
  if (call) return typeOfCall(call[1]!, types.get(call[2]!) ?? null, text.includes(','));
  if (NUMBER_OF.test(text)) return 'int';
  const method = /^([^\W\d]\w*)\.(count|replace|upper|lower|strip)\(.*\)$/.exec(text);
  if (method) return typeOfMethod(method[2]!, types.get(method[1]!) ?? null);
  const slice = /^([^\W\d]\w*)\[([^\]]*)\]$/.exec(text);
  if (slice) return typeOfSlice(types.get(slice[1]!) ?? null, slice[2]!.includes(':'));
  const binary = /^(.+?)(\/\/|[-+*%])(.+)$/.exec(text);
  return binary ? typeOfOperator(typeOf(binary[1]!, types), binary[2]!, typeOf(binary[3]!, types)) : null;
}

function typeOfCall(name: string, argument: PlainType | null, bounded: boolean): Reading {
  if (argument === null) {
    if (name === 'sorted') return 'list';
    return name === 'len' || name === 'sum' || name === 'abs' ? 'int' : null;
  }
  if (name === 'sorted') return argument === 'int' ? CLASH : 'list';
  if (name === 'len') return argument === 'int' ? CLASH : 'int';
  if (name === 'sum') return argument === 'list' ? 'int' : CLASH;
  if (name === 'abs' || bounded) return argument === 'int' ? 'int' : CLASH;
  if (argument === 'int') return CLASH;
  return argument === 'str' ? 'str' : null;
}

function typeOfMethod(name: string, owner: PlainType | null): Reading {
  if (name === 'count') return owner === 'int' ? CLASH : 'int';
  return owner === null || owner === 'str' ? 'str' : CLASH;
}

function typeOfSlice(owner: PlainType | null, slice: boolean): Reading {
  if (owner === 'int') return CLASH;
  if (slice) return owner;
  // Lists of the embedded world hold integers, but another world's may not; only strings are certain.
  return owner === 'str' ? 'str' : null;
}

function typeOfOperator(left: Reading, operator: string, right: Reading): Reading {
  if (left === CLASH || right === CLASH) return CLASH;
  if (left === null || right === null) return null;
  if (left === 'int' && right === 'int') return 'int';
  if (operator === '*' && (left === 'int' || right === 'int')) return left === 'int' ? right : left;
  return operator === '+' && left === right ? left : CLASH;
}

/**
 * Type `f` returns for an input of type `given`, by reading; null when unknown or when the program would fail. Branches must agree.
 * Nothing is executed, so this may be told to a reviewer: it follows from the program everyone sees.
 * Patterns that end in anything reach the end of every line, so that no repetition before it is tried twice.
 */
export function returnType(source: string, given: PlainType): PlainType | 'clash' | null {
  return returned(logicalLines(source).lines, given);
}

function returned(lines: readonly LogicalLine[], given: PlainType): PlainType | 'clash' | null {
  const header = /^def\s+\w+\(\s*(\w+)\s*\)\s*:$/.exec(lines[0]?.text ?? '');
  if (!header) return null;
  const types: Types = new Map([[header[1]!, given]]);
  for (const { text } of lines.slice(1)) {
    const loop = text.endsWith(':') ? /^for\s+(\w+)\s+in\s+(.+):$/s.exec(text) : null;
    if (loop) {
      const over = loop[2]!.startsWith('range(') ? 'range' : typeOf(loop[2]!, types);
      if (over === 'int' || over === CLASH) return 'clash';
      if (over === 'str') types.set(loop[1]!, 'str');
      else if (over === 'range' || over === 'list') types.set(loop[1]!, 'int');
      continue;
    }
    const condition = /^if\s+(\w+)\s*[<>]=?\s*-?\d+\s*:$/.exec(text);
    if (condition) {
      if ((types.get(condition[1]!) ?? 'int') !== 'int') return 'clash';
      continue;
    }
    if (text === 'else:' || text.startsWith('import ')) continue;
    const result = /^return\s+(.+)$/s.exec(text);
    if (result) return settled(typeOf(result[1]!, types));
    const assignment = /^(\w+)\s*=\s*([^=].*)$/s.exec(text);
    if (!assignment) return null;
    const value = typeOfAssigned(assignment[2]!, types);
    if (value === CLASH) return 'clash';
    if (value === null) types.delete(assignment[1]!);
    else types.set(assignment[1]!, value);
  }
  return null;
}

function typeOfAssigned(expression: string, types: Types): Reading {
  const comprehension = expression.endsWith(']')
    ? /^\[.*\bfor\s+\w+\s+in\s+(\w+)\b.*\]$/s.exec(expression)
    : null;
  if (!comprehension) return typeOf(expression, types);
  return types.get(comprehension[1]!) === 'int' ? CLASH : 'list';
}

const settled = (value: Reading): PlainType | 'clash' | null => (value === CLASH ? 'clash' : value);

/** Input types under which the program may run and may return `output` (null = any); all of them when reading tells nothing. */
export function possibleInputTypes(source: string, output: PlainType | null): PlainType[] {
  const { lines } = logicalLines(source);
  return PLAIN_TYPES.filter((given) => {
    const result = returned(lines, given);
    return result !== 'clash' && (result === null || output === null || result === output);
  });
}
