import { z } from 'zod';
import type { Draws } from './world.ts';

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** What of a JSON Schema is read here; zod writes no more of it. */
type Schema = {
  type?: string | string[];
  const?: Json;
  enum?: Json[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
};

/** Values that a field of this name can sensibly have in a lab as it stands; empty where any will do. */
export type Sensible = (field: string) => readonly Json[];

const TEXTS = [
  'a',
  'solve the task',
  'Überprüfung 😀',
  `it's "quoted"`,
  '%_*?',
  '../..',
  '-1',
  'null',
  ' padded ',
  '=1+1',
  'line\nbreak',
  '\u0000',
  '\uD800',
];
/** What stands where something else is wanted. */
const WRONG: readonly Json[] = [
  null,
  -1,
  1.5,
  1e300,
  '',
  'x'.repeat(5000),
  true,
  [],
  {},
  [[]],
  { deep: { er: [null] } },
];

const schemas = new WeakMap<z.ZodType, Schema>();
function schemaOf(type: z.ZodType): Schema {
  const known = schemas.get(type);
  if (known !== undefined) return known;
  const made = z.toJSONSchema(type, { io: 'input', unrepresentable: 'any' }) as Schema;
  schemas.set(type, made);
  return made;
}

/** An input that the schema allows, as far as a JSON Schema can say it. */
export const inputFor = (type: z.ZodType, draws: Draws, sensible: Sensible): Json =>
  valueFor(schemaOf(type), '', draws, sensible);

/** An input that the schema refuses, near to one that it allows; null where none was found. */
export function wrongInputFor(type: z.ZodType, draws: Draws, sensible: Sensible): { input: Json } | null {
  for (let tries = 0; tries < 5; tries += 1) {
    const input = spoilt(inputFor(type, draws, sensible), draws);
    if (!type.safeParse(input).success) return { input };
  }
  return null;
}

function valueFor(schema: Schema, field: string, draws: Draws, sensible: Sensible): Json {
  if (schema.const !== undefined) return schema.const;
  const wanted = sensible(field).filter((value) => fits(schema, value));
  if (wanted.length > 0 && draws.chance(0.9)) return draws.pick(wanted);
  if (schema.enum !== undefined) return draws.pick(schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return valueFor(draws.pick(choices), field, draws, sensible);
  if (schema.allOf !== undefined)
    return valueFor(Object.assign({}, ...schema.allOf) as Schema, field, draws, sensible);
  const type = Array.isArray(schema.type) ? draws.pick(schema.type) : schema.type;
  switch (type) {
    case 'object':
      return objectFor(schema, draws, sensible);
    case 'array': {
      const { items = {}, minItems = 0, maxItems = Infinity } = schema;
      const length = Math.min(maxItems, minItems + draws.below(3));
      return Array.from({ length }, () => valueFor(items, field, draws, sensible));
    }
    case 'string':
      return textFor(schema, draws);
    case 'integer':
      return Math.floor(numberFor(schema, 1, draws));
    case 'number':
      return numberFor(schema, 0.001, draws);
    case 'boolean':
      return draws.chance(0.5);
    case 'null':
      return null;
    default:
      return draws.pick(TEXTS);
  }
}

function objectFor(schema: Schema, draws: Draws, sensible: Sensible): Json {
  const { properties = {}, required = [], additionalProperties: more } = schema;
  const made: Record<string, Json> = {};
  for (const [name, one] of Object.entries(properties))
    if (required.includes(name) || draws.chance(0.4)) made[name] = valueFor(one, name, draws, sensible);
  if (typeof more === 'object' && draws.chance(0.3)) made['one'] = valueFor(more, 'one', draws, sensible);
  return made;
}

/** The patterns of names begin with a letter and allow letters. */
function textFor({ pattern, minLength = 0, maxLength = 4000 }: Schema, draws: Draws): string {
  const text = pattern !== undefined ? draws.pick(['policy', 'solver', 'a']) : draws.pick(TEXTS);
  return text.padEnd(minLength, 'x').slice(0, maxLength);
}

function numberFor(schema: Schema, unit: number, draws: Draws): number {
  const least = Math.max(schema.minimum ?? -Infinity, (schema.exclusiveMinimum ?? -Infinity) + unit);
  const most = Math.min(schema.maximum ?? Infinity, (schema.exclusiveMaximum ?? Infinity) - unit);
  const from = Number.isFinite(least) && least > -1e9 ? least : 0;
  if (draws.chance(0.05)) return Math.min(most, Number.MAX_SAFE_INTEGER);
  return Math.min(most, from + draws.below(6) * (unit === 1 ? 1 : Math.min(1, most - from) / 5));
}

function fits(schema: Schema, value: Json): boolean {
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return choices.some((choice) => fits(choice, value));
  if (schema.enum !== undefined) return schema.enum.includes(value);
  const kind = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  return [schema.type ?? kind]
    .flat()
    .some((type) => type === kind || (type === 'integer' && Number.isInteger(value)));
}

/** The same with something wrong at some place of it. */
function spoilt(value: Json, draws: Draws): Json {
  if (typeof value !== 'object' || value === null || draws.chance(0.1)) return draws.pick(WRONG);
  if (Array.isArray(value)) {
    if (value.length === 0 || draws.chance(0.3)) return draws.pick(WRONG);
    const at = draws.below(value.length);
    return value.map((one, index) => (index === at ? spoilt(one, draws) : one));
  }
  const names = Object.keys(value);
  if (names.length === 0) return draws.pick(WRONG);
  const name = draws.pick(names);
  const { [name]: taken = null, ...rest } = value;
  return draws.chance(0.3) ? rest : { ...rest, [name]: spoilt(taken, draws) };
}
