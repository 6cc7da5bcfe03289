import {
  type Document,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type YAMLError,
} from 'yaml';
import { Failure } from '../contract/index.ts';
import { quotable } from '../core/index.ts';

export const usage = (sentence: string, cause?: unknown): Failure =>
  new Failure('usage', sentence, 2, { cause });

/** Sections within each other: those of a configuration are four, and settings of a reviewer are free. */
const MOST_DEPTH = 32;

/**
 * Reads YAML 1.2, of which JSON is a part. A tag is refused: it would change what a value is, and what is not known is no value.
 * @param what begins the sentence of a refusal, such as "The text".
 * @throws Failure `usage` (exit code 2) that says where the text is wrong, also for what goes into itself or too deep.
 */
export const parseYaml = (text: string, what: string): unknown => readDocument(text, what).value;

/** The same with where its keys stand. */
export function readDocument(
  text: string,
  what: string,
): { document: Document; value: unknown; lines: LineCounter } {
  const lines = new LineCounter();
  let read: { document: Document; value: unknown };
  try {
    const document = parseDocument(text, {
      schema: 'core',
      resolveKnownTags: false,
      stringKeys: true,
      lineCounter: lines,
      // Both take the square of what there is: each key is compared with all before it, each error shown with its line.
      uniqueKeys: false,
      prettyErrors: false,
    });
    const [fault] = [...document.errors, ...document.warnings];
    if (fault !== undefined) throw refusal(what, fault, lines);
    const repeated = repeatedKey(document);
    if (repeated !== null) throw invalid(what, `Map keys must be unique${placeOf(repeated, lines)}`);
    read = { document, value: document.toJS() };
  } catch (cause) {
    if (cause instanceof Failure) throw cause;
    const [said = ''] = (cause as Error).message.split('\n');
    throw invalid(what, said, cause);
  }
  requirePlain(read.value, what);
  return { ...read, lines };
}

function refusal(what: string, fault: YAMLError, lines: LineCounter): Failure {
  const remedy = fault.code === 'TAG_RESOLVE_FAILED' ? '; write the value without a tag' : '';
  return invalid(what, `${fault.message}${placeOf(fault.pos[0], lines)}`, fault, remedy);
}

function invalid(what: string, said: string, cause?: unknown, remedy = ''): Failure {
  return usage(`${what} is not valid YAML: ${quotable(said)}${remedy}.`, cause);
}

function placeOf(offset: number, lines: LineCounter): string {
  if (offset < 0) return '';
  const { line, col } = lines.linePos(offset);
  return ` at line ${line}, column ${col}`;
}

/** Where the first key stands that its section has already; null where there is none. */
function repeatedKey({ contents }: Document): number | null {
  let first: number | null = null;
  for (let level: unknown[] = [contents]; level.length > 0;)
    level = level.flatMap((node) => {
      if (isSeq(node)) return node.items;
      if (!isMap(node)) return [];
      const seen = new Set<unknown>();
      return node.items.map(({ key, value }) => {
        const name = isScalar(key) ? key.value : key;
        if (seen.has(name)) first = Math.min(first ?? Infinity, (isNode(key) && key.range?.[0]) || 0);
        seen.add(name);
        return value;
      });
    });
  return first;
}

/** Level by level, so that nothing is too deep to be looked at. */
export function requirePlain(value: unknown, what: string): void {
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MOST_DEPTH)
      throw usage(`${what} has more than ${MOST_DEPTH} sections within each other; leave some out.`);
    level = level.flatMap((inner) => {
      if (typeof inner !== 'object' || inner === null) return [];
      if (Object.hasOwn(inner, '__proto__'))
        throw usage(`${what} has the key "__proto__", which no configuration has; leave it out.`);
      return Object.values(inner);
    });
  }
}
