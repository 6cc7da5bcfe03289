import { ProcessFailure } from '../child/failures.ts';

/** Above this the grammar engine would have to unroll too many rules; the token limit bounds the string instead. */
const MAX_COUNTED_LENGTH = 1000;
const MAX_DEPTH = 8;

const KEYWORDS = new Set([
  'type',
  'properties',
  'required',
  'additionalProperties',
  'enum',
  'const',
  'items',
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'oneOf',
  'description',
  'title',
]);

/**
 * A grammar (GBNF) for exactly what JSON.stringify writes of values that fit the schema: no white space, every property
 * present, properties in the order of the schema. Such an answer always parses, costs the fewest tokens, and cannot
 * wander off into endless white space. Integers have at most 15 digits and no exponent, strings no control characters.
 *
 * Throws `badRequest` for keywords it does not know: a constraint must never be dropped in silence.
 */
export function jsonGrammar(schema: Record<string, unknown>): string {
  return [
    `root ::= ${rule(schema, 'schema', 0)}`,
    'char ::= [^"\\\\\\x7F\\x00-\\x1F] | "\\\\" ["\\\\bfnrt]',
    'integer ::= "0" | "-"? [1-9] [0-9]{0,14}',
    '',
  ].join('\n');
}

function rule(schema: unknown, where: string, depth: number): string {
  if (!isObject(schema)) throw unsupported(where, 'is not an object');
  if (depth > MAX_DEPTH) throw unsupported(where, `is nested deeper than ${MAX_DEPTH}`);
  for (const keyword of Object.keys(schema)) {
    if (!KEYWORDS.has(keyword)) throw unsupported(where, `uses "${keyword}", which reviews do not support`);
  }
  if ('const' in schema) return literal(schema.const);
  if (Array.isArray(schema.enum)) return alternatives(schema.enum.map(literal), where);
  if (Array.isArray(schema.oneOf))
    return alternatives(
      schema.oneOf.map((option, index) => rule(option, `${where}.oneOf.${index}`, depth + 1)),
      where,
    );
  switch (schema.type) {
    case 'object':
      return objectRule(schema, where, depth);
    case 'array':
      return arrayRule(schema, where, depth);
    case 'string':
      return `"\\"" char${lengths(schema, where)} "\\""`;
    case 'integer':
      return 'integer';
    case 'boolean':
      return '("true" | "false")';
    case 'null':
      return '"null"';
    default:
      throw unsupported(where, `has the type ${JSON.stringify(schema.type)}, which reviews do not support`);
  }
}

function objectRule(schema: Record<string, unknown>, where: string, depth: number): string {
  const properties = isObject(schema.properties) ? Object.entries(schema.properties) : [];
  const fields = properties.map(
    ([name, value], index) =>
      `${gbnf(`${index === 0 ? '' : ','}${JSON.stringify(name)}:`)} ${rule(value, `${where}.${name}`, depth + 1)}`,
  );
  return ['"{"', ...fields, '"}"'].join(' ');
}

function arrayRule(schema: Record<string, unknown>, where: string, depth: number): string {
  const item = rule(schema.items, `${where}.items`, depth + 1);
  const minimum = count(schema.minItems, `${where}.minItems`) ?? 0;
  const maximum = count(schema.maxItems, `${where}.maxItems`);
  if (maximum === null) throw unsupported(where, 'is an array without maxItems');
  if (maximum < Math.max(1, minimum))
    return maximum === 0 && minimum === 0 ? '"[]"' : alternatives([], where);
  const more = `("," ${item}){${Math.max(0, minimum - 1)},${maximum - 1}}`;
  const filled = `"[" ${item} ${more} "]"`;
  return minimum === 0 ? `("[]" | ${filled})` : filled;
}

function lengths(schema: Record<string, unknown>, where: string): string {
  const minimum = count(schema.minLength, `${where}.minLength`) ?? 0;
  const maximum = count(schema.maxLength, `${where}.maxLength`);
  if (maximum === null || maximum > MAX_COUNTED_LENGTH) return minimum > 0 ? `{${minimum},}` : '*';
  return `{${minimum},${maximum}}`;
}

function alternatives(options: string[], where: string): string {
  if (options.length === 0) throw unsupported(where, 'allows no value');
  return `(${options.join(' | ')})`;
}

function literal(value: unknown): string {
  return gbnf(JSON.stringify(value));
}

function gbnf(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

function count(value: unknown, where: string): number | null {
  if (value === undefined) return null;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw unsupported(where, 'is not a count');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unsupported(where: string, what: string): ProcessFailure {
  return new ProcessFailure('supervisor', {
    kind: 'badRequest',
    message: `The review schema cannot be used: ${where} ${what}.`,
  });
}

/** More texts than this are no closed set: searching them would cost more than it saves. */
const MOST_ANSWERS = 10_000;

/**
 * Every text that the grammar of `schema` (see jsonGrammar) allows, in the order of the schema; null when there are more
 * than 10,000, as with free strings and integers. The schema has been checked by jsonGrammar before.
 */
export function enumerateAnswers(schema: Record<string, unknown>): string[] | null {
  return texts(schema);
}

function texts(schema: Record<string, unknown>): string[] | null {
  if ('const' in schema) return [JSON.stringify(schema.const)];
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value));
  if (Array.isArray(schema.oneOf)) return union((schema.oneOf as Record<string, unknown>[]).map(texts));
  switch (schema.type) {
    case 'object':
      return objectTexts(schema);
    case 'array':
      return arrayTexts(schema);
    case 'boolean':
      return ['true', 'false'];
    case 'null':
      return ['null'];
    default:
      return null;
  }
}

function objectTexts(schema: Record<string, unknown>): string[] | null {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Record<string, unknown>>);
  let all: string[] | null = ['{'];
  for (const [index, [name, value]] of properties.entries()) {
    all = product(all, `${index === 0 ? '' : ','}${JSON.stringify(name)}:`, texts(value));
  }
  return all?.map((text) => `${text}}`) ?? null;
}

function arrayTexts(schema: Record<string, unknown>): string[] | null {
  const items = texts(schema.items as Record<string, unknown>);
  const fewest = (schema.minItems as number | undefined) ?? 0;
  const most = schema.maxItems as number;
  if (most > MOST_ANSWERS) return null;
  const byLength: (string[] | null)[] = fewest === 0 ? [['[']] : [];
  let filled: string[] | null = ['['];
  for (let length = 1; length <= most && filled !== null; length++) {
    filled = product(filled, length === 1 ? '' : ',', items);
    if (length >= fewest) byLength.push(filled);
  }
  return union(byLength)?.map((text) => `${text}]`) ?? null;
}

function product(heads: string[] | null, between: string, tails: string[] | null): string[] | null {
  if (heads === null || tails === null || heads.length * tails.length > MOST_ANSWERS) return null;
  return heads.flatMap((head) => tails.map((tail) => `${head}${between}${tail}`));
}

function union(sets: (string[] | null)[]): string[] | null {
  const all: string[] = [];
  for (const set of sets) {
    if (set === null || all.length + set.length > MOST_ANSWERS) return null;
    all.push(...set);
  }
  return all;
}
