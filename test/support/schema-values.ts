import type { z } from 'zod';
import { type Draw, HOSTILE_NUMBERS, HOSTILE_TEXTS } from './drawn.ts';

/** What zod keeps of a schema that values are drawn for. */
type Definition = {
  type: string;
  innerType?: z.ZodType;
  shape?: Record<string, z.ZodType>;
  element?: z.ZodType;
  options?: z.ZodType[];
  items?: z.ZodType[];
  entries?: Record<string, string>;
  values?: unknown[];
  valueType?: z.ZodType;
  left?: z.ZodType;
  right?: z.ZodType;
  in?: z.ZodType;
  out?: z.ZodType;
  getter?: () => z.ZodType;
};
const definitionOf = (schema: z.ZodType): Definition => schema.def as unknown as Definition;

/** Texts of the forms that schemas here ask for. */
const FORMS: readonly string[] = [
  'run-20260101-0000-abcd',
  'embedded-policy',
  'a',
  '3/pred_code_o/0',
  '0123456789abcdef'.repeat(4),
  '2026-01-01T00:00:00.000Z',
  'tasks.jsonl',
  'embedded',
  '0x1f',
  '3ff0000000000000',
];
const NUMBERS: readonly number[] = [0, 1, 2, 3, 0.5, 0.01, 7, 60, 400, 1e5];

/** A value that a schema accepts, as far as the schema can be read: what a refinement says is not known here. */
export function drawnFor(schema: z.ZodType, draw: Draw, depth = 0): unknown {
  const definition = definitionOf(schema);
  const inner = (part: z.ZodType | undefined): unknown => drawnFor(part as z.ZodType, draw, depth + 1);
  const accepted = (from: readonly unknown[]): unknown => {
    const start = draw.below(from.length);
    const turned = [...from.slice(start), ...from.slice(0, start)];
    return turned.find((value) => schema.safeParse(value).success) ?? turned[0];
  };
  switch (definition.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(definition.shape ?? {})
          .filter(([, part]) => !part.safeParse(undefined).success || draw.chance(depth > 3 ? 0 : 0.5))
          .map(([key, part]) => [key, inner(part)]),
      );
    case 'optional':
    case 'default':
    case 'prefault':
    case 'readonly':
    case 'catch':
    case 'nonoptional':
      return inner(definition.innerType);
    case 'nullable':
      return draw.chance(0.3) ? null : inner(definition.innerType);
    case 'array': {
      const made = Array.from({ length: 1 + draw.below(2) }, () => inner(definition.element));
      return draw.chance(0.2) && schema.safeParse([]).success ? [] : made;
    }
    case 'tuple':
      return (definition.items ?? []).map(inner);
    case 'record':
      return draw.chance(0.5) ? {} : { a: inner(definition.valueType) };
    case 'union':
      return inner(draw.pick(definition.options ?? []));
    case 'intersection':
      return { ...(inner(definition.left) as object), ...(inner(definition.right) as object) };
    case 'pipe':
      return inner(
        definitionOf(definition.in as z.ZodType).type === 'transform' ? definition.out : definition.in,
      );
    case 'lazy':
      return depth > 4 ? null : inner(definition.getter?.());
    case 'enum':
      return draw.pick(Object.values(definition.entries ?? {}));
    case 'literal':
      return draw.pick(definition.values ?? []);
    case 'boolean':
      return draw.chance(0.5);
    case 'number':
      return accepted([...NUMBERS, ...HOSTILE_NUMBERS]);
    case 'string':
      return accepted([...FORMS, ...(draw.chance(0.5) ? HOSTILE_TEXTS : [])]);
    case 'null':
      return null;
    default:
      return draw.pick<unknown>(['x', 1, null]);
  }
}

/** Every value within a value, by its path. */
export function placesIn(value: unknown, path: readonly string[] = []): string[][] {
  const below =
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, part]) => placesIn(part, [...path, key]))
      : [];
  return [[...path], ...below];
}

/** The value with another in one place. */
export function withPlace(value: unknown, [key, ...rest]: readonly string[], other: unknown): unknown {
  if (key === undefined) return other;
  if (Array.isArray(value))
    return value.map((part, index) => (String(index) === key ? withPlace(part, rest, other) : part));
  const section = (value ?? {}) as Record<string, unknown>;
  return { ...section, [key]: withPlace(section[key], rest, other) };
}
