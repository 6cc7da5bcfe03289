/** More texts than this are no closed set: searching them would cost more than it saves. */
const MOST_ANSWERS = 10_000;

/**
 * Every text that the grammar of `schema` (see jsonGrammar) allows, in the order of the schema; null when there are more
 * than 10,000, as with free strings and integers. The schema has been checked by jsonGrammar before.
 */
export function closedAnswers(schema: Record<string, unknown>): string[] | null {
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
  const lengths: (string[] | null)[] = fewest === 0 ? [['[']] : [];
  let filled: string[] | null = ['['];
  for (let length = 1; length <= most && filled !== null; length++) {
    filled = product(filled, length === 1 ? '' : ',', items);
    if (length >= fewest) lengths.push(filled);
  }
  return union(lengths)?.map((text) => `${text}]`) ?? null;
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
