import { type CallExpression, parseSync, Visitor } from 'oxc-parser';

/** What reads of the engine: its result has an `error`, which somebody has to tell. A hook that hands a read on whole is one as well. */
const READERS = new Set(['useApiQuery', 'useApiPages', 'useQuery', 'useInfiniteQuery', 'useRecord']);

type Span = { start: number; end: number };
type Read = Span & { name: string; verb: string };

/**
 * Reads whose failure nobody is told: the result of a reader is kept under a name of which this function takes parts (`read.data ?? []`)
 * without ever taking its `error`. A result that is handed on whole (`read={read}`, `return read`) is told by whoever gets it, and one of
 * `useSideQuery` by the frame.
 */
export function untoldReads(file: string, source: string): string[] {
  const found: string[] = [];
  const functions: Span[] = [];
  const reads: Read[] = [];
  const names: (Span & { name: string })[] = [];
  /** Where a name stands before a dot, and what is taken of it. */
  const parts = new Map<number, string>();
  /** Where a name is that of a property. */
  const keys = new Set<number>();
  const verbOf = (call: Span): string =>
    /^\w+\(\s*['`]([^'`]+)/.exec(source.slice(call.start, call.end))?.[1] ??
    source.slice(call.start, source.indexOf('(', call.start));
  const note = (verb: string): void => void found.push(`${file}: ${verb}`);
  const open = (node: Span): void => void functions.push(node);
  new Visitor({
    FunctionDeclaration: open,
    FunctionExpression: open,
    ArrowFunctionExpression: open,
    Identifier: ({ name, start, end }) => void names.push({ name, start, end }),
    Property: ({ key, shorthand }) => {
      if (!shorthand) keys.add(key.start);
    },
    TSPropertySignature: ({ key }) => void keys.add(key.start),
    MemberExpression: ({ object, property, computed }) => {
      if (computed || property.type !== 'Identifier') return;
      keys.add(property.start);
      if (object.type === 'Identifier') parts.set(object.start, property.name);
      if (object.type === 'CallExpression' && isReader(object) && property.name !== 'error')
        note(verbOf(object));
    },
    VariableDeclarator: ({ id, init, start, end }) => {
      if (
        id.type === 'Identifier' &&
        init?.type === 'ArrowFunctionExpression' &&
        init.body.type === 'CallExpression' &&
        isReader(init.body) &&
        !READERS.has(id.name)
      )
        found.push(`${file}: ${id.name} is no reader of this rule`);
      if (init?.type !== 'CallExpression' || !isReader(init)) return;
      if (id.type === 'Identifier') reads.push({ name: id.name, verb: verbOf(init), start, end });
      if (
        id.type === 'ObjectPattern' &&
        !id.properties.some(
          (each) =>
            each.type === 'RestElement' || (each.key.type === 'Identifier' && each.key.name === 'error'),
        )
      )
        note(verbOf(init));
    },
  }).visit(parseSync(file, source).program);
  for (const { name, verb, start, end } of reads) {
    const around = functions
      .filter((each) => each.start <= start && end <= each.end)
      .toSorted((a, b) => a.end - a.start - (b.end - b.start))[0];
    const uses = names.filter(
      (each) =>
        each.name === name &&
        !keys.has(each.start) &&
        (each.start < start || each.start >= end) &&
        (around === undefined || (around.start <= each.start && each.end <= around.end)),
    );
    const isTold = uses.some((use) => {
      const part = parts.get(use.start);
      return part === undefined || part === 'error';
    });
    if (!isTold) note(verb);
  }
  return found;
}

const isReader = ({ callee }: CallExpression): boolean =>
  callee.type === 'Identifier' && READERS.has(callee.name);
