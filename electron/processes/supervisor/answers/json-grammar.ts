import { ProcessFailure } from '../../child/process-failure.ts';

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
