import type { z } from 'zod';
import { runConfigSchema } from '../../../../electron/contract/index.ts';

/** How one value is written. */
type LeafKind =
  | { kind: 'number'; whole: boolean; least: number | null; most: number | null; mayBeNone: boolean }
  | { kind: 'text'; mayBeNone: boolean }
  | { kind: 'switch' }
  | { kind: 'choice'; options: string[]; mayBeNone: boolean }
  | { kind: 'choices'; options: string[] }
  | { kind: 'list' }
  | { kind: 'numbers'; count: number }
  | { kind: 'json' };

export type Leaf = LeafKind & {
  path: string;
  fallback: unknown;
  /** From the schema itself, where it says one. */ description: string | null;
};
/** A group of values that may be left out as a whole (`absent` is what stands there then), such as a KL term. */
export type Branch = {
  kind: 'group';
  path: string;
  absent: null | undefined;
  leaves: Leaf[];
  description: string | null;
};
export type SchemaEntry = Leaf | Branch;

type Peeled = {
  schema: z.ZodType;
  nullable: boolean;
  optional: boolean;
  description: string | null;
  /** Its own default; undefined without one. */ fallback: unknown;
};

/** Takes defaults and the like away until the schema of the value itself is left. */
function peel(schema: z.ZodType): Peeled {
  const peeled: Peeled = {
    schema,
    nullable: false,
    optional: false,
    description: descriptionOf(schema),
    fallback: undefined,
  };
  for (;;) {
    const { def } = peeled.schema as unknown as {
      def: { type: string; innerType?: z.ZodType; defaultValue?: unknown };
    };
    if (!['default', 'prefault', 'optional', 'nullable'].includes(def.type) || def.innerType === undefined)
      return peeled;
    if (def.type === 'default') peeled.fallback ??= def.defaultValue;
    peeled.nullable ||= def.type === 'nullable';
    peeled.optional ||= def.type === 'optional';
    peeled.schema = def.innerType;
    peeled.description ??= descriptionOf(peeled.schema);
  }
}

function descriptionOf(schema: z.ZodType): string | null {
  return schema.description ?? null;
}

/** Every value of a run's configuration in the order of the schema, read from the schema: what is added there appears here. */
function schemaEntries(
  schema: z.ZodType = runConfigSchema,
  prefix = '',
  fallbacks: unknown = runConfigSchema.parse({}),
): SchemaEntry[] {
  const { shape } = (peel(schema).schema as z.ZodObject).def as { shape: Record<string, z.ZodType> };
  return Object.entries(shape).flatMap(([key, part]): SchemaEntry[] => {
    const path = `${prefix}${key}`;
    const fallback = (fallbacks as Record<string, unknown> | null | undefined)?.[key];
    const { schema: inner, nullable, optional, description, fallback: own } = peel(part);
    if (inner.def.type !== 'object')
      return [
        {
          ...leafKind(inner, nullable || optional),
          path,
          fallback: fallback === undefined ? own : fallback,
          description,
        },
      ];
    const leaves = schemaEntries(inner, `${path}.`, fallback);
    if (!nullable && !optional) return leaves;
    return [
      { kind: 'group', path, absent: nullable ? null : undefined, leaves: leaves as Leaf[], description },
    ];
  });
}

function leafKind(schema: z.ZodType, mayBeNone: boolean): LeafKind {
  switch (schema.def.type) {
    case 'number': {
      const { minValue, maxValue, isInt } = schema as z.ZodNumber;
      // An int is bounded by what a double can count; that is no bound a person set.
      const bound = (value: number | null): number | null =>
        value === null || !Number.isFinite(value) || Math.abs(value) >= Number.MAX_SAFE_INTEGER
          ? null
          : value;
      return { kind: 'number', whole: isInt, least: bound(minValue), most: bound(maxValue), mayBeNone };
    }
    case 'boolean':
      return { kind: 'switch' };
    case 'enum':
      return { kind: 'choice', options: optionsOf(schema), mayBeNone };
    case 'array': {
      const { element } = schema.def as unknown as { element: z.ZodType };
      if (element.def.type === 'object') return { kind: 'json' };
      return element.def.type === 'enum'
        ? { kind: 'choices', options: optionsOf(element) }
        : { kind: 'list' };
    }
    case 'tuple':
      return { kind: 'numbers', count: (schema.def as unknown as { items: unknown[] }).items.length };
    case 'string':
      return { kind: 'text', mayBeNone };
    case 'record':
      return { kind: 'json' };
    default:
      throw new TypeError(
        `No field is known for a value of type ${schema.def.type}; add one to the schema tree.`,
      );
  }
}

const optionsOf = (schema: z.ZodType): string[] =>
  Object.values((schema.def as unknown as { entries: Record<string, string> }).entries);

export const leavesOf = (entries: readonly SchemaEntry[]): Leaf[] =>
  entries.flatMap((entry) => (entry.kind === 'group' ? entry.leaves : [entry]));

/** All entries, built once: the schema does not change while the window is open. */
export const RUN_ENTRIES = schemaEntries();
export const LEAF_BY_PATH: ReadonlyMap<string, Leaf> = new Map(
  leavesOf(RUN_ENTRIES).map((leaf) => [leaf.path, leaf]),
);
