import type { z } from 'zod';
import { runConfigFields } from '../../../../electron/contract/index.ts';
import { type Tree, valueAt, withValue } from './tree.ts';

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
  /** What stands there unless somebody says otherwise; undefined where the schema has no such value. */
  fallback: unknown;
  /** Whether a configuration is whole without it. */
  optional: boolean;
  /** From the schema itself, where it says one. */
  description: string | null;
};
/** A group of values that may be left out as a whole (`absent` is what stands there then), such as a KL term. */
export type Group = {
  kind: 'group';
  path: string;
  absent: null | undefined;
  leaves: Leaf[];
  description: string | null;
};
/** What has a place of its own among the parameters. */
export type Entry = Leaf | Group;
/** Values that depend on a choice, such as those of the framework: `choice` names the form, and each form has entries of its own. */
type Section = {
  kind: 'section';
  path: string;
  choice: Leaf;
  forms: ReadonlyMap<string, readonly Entry[]>;
};
export type SchemaEntry = Entry | Section;

type Peeled = {
  schema: z.ZodType;
  nullable: boolean;
  optional: boolean;
  description: string | null;
  /** Its own default; undefined without one. */
  fallback: unknown;
};

/** Takes defaults and the like away until the schema of the value itself is left. */
function peel(schema: z.ZodType): Peeled {
  const peeled: Peeled = {
    schema,
    nullable: false,
    optional: false,
    description: schema.description ?? null,
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
    peeled.description ??= peeled.schema.description ?? null;
  }
}

/** Every value of a configuration in the order of its schema, read from the schema: what is added there appears here. */
export function schemaEntries(schema: z.ZodType, fallbacks: unknown, prefix = ''): SchemaEntry[] {
  const { shape } = (peel(schema).schema as z.ZodObject).def as { shape: Record<string, z.ZodType> };
  return Object.entries(shape).flatMap(([key, part]): SchemaEntry[] => {
    const path = `${prefix}${key}`;
    const { schema: inner, nullable, optional, description, fallback: own } = peel(part);
    const given = (fallbacks as Record<string, unknown> | null | undefined)?.[key];
    const fallback = given === undefined ? own : given;
    if (inner.def.type === 'union')
      return [section(path, inner as z.ZodDiscriminatedUnion, { fallback, description })];
    if (inner.def.type !== 'object')
      return [{ ...leafKind(inner, nullable || optional), path, fallback, optional, description }];
    const leaves = schemaEntries(inner, given, `${path}.`);
    if (!nullable && !optional) return leaves;
    return [
      { kind: 'group', path, absent: nullable ? null : undefined, leaves: leaves as Leaf[], description },
    ];
  });
}

/** A union told apart by one key: that key is a choice, and each option's other keys are the entries of its form. */
function section(
  path: string,
  union: z.ZodDiscriminatedUnion,
  { fallback, description }: Pick<Leaf, 'fallback' | 'description'>,
): Section {
  const { discriminator } = union.def;
  const chosen = (fallback as Record<string, unknown> | undefined)?.[discriminator];
  const forms = new Map(
    union.def.options.map((option): [string, Entry[]] => {
      const { shape } = peel(option as z.ZodType).schema as z.ZodObject;
      const form = String((shape[discriminator] as z.ZodLiteral).value);
      const whole =
        form === chosen ? fallback : (option as z.ZodType).safeParse({ [discriminator]: form }).data;
      const entries = schemaEntries(option as z.ZodType, whole, `${path}.`) as Entry[];
      return [form, entries.filter((entry) => entry.path !== `${path}.${discriminator}`)];
    }),
  );
  return {
    kind: 'section',
    path,
    choice: {
      kind: 'choice',
      options: [...forms.keys()],
      mayBeNone: false,
      path: `${path}.${discriminator}`,
      fallback: chosen,
      optional: false,
      description,
    },
    forms,
  };
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
    case 'literal':
      return { kind: 'choice', options: [...(schema as z.ZodLiteral).values].map(String), mayBeNone };
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
        `No field is known for a value of type ${schema.def.type}; add one to the schema of the editor.`,
      );
  }
}

const optionsOf = (schema: z.ZodType): string[] =>
  Object.values((schema.def as unknown as { entries: Record<string, string> }).entries);

/** All entries of a run, built once: the schema does not change while the window is open. */
export const RUN_ENTRIES = schemaEntries(runConfigFields, runConfigFields.parse({}));

/** The section that a path lies in; undefined for what depends on no choice. */
export const sectionAt = (entries: readonly SchemaEntry[], path: string): Section | undefined =>
  entries.find(
    (entry): entry is Section => entry.kind === 'section' && `${path}.`.startsWith(`${entry.path}.`),
  );

/** What a configuration has: everything that depends on no choice, each choice, and the entries of the form it names. */
export const entriesOf = (entries: readonly SchemaEntry[], config: Tree): Entry[] =>
  entries.flatMap((entry) =>
    entry.kind === 'section'
      ? [entry.choice, ...(entry.forms.get(String(valueAt(config, entry.choice.path))) ?? [])]
      : [entry],
  );

export const leavesOf = (entries: readonly Entry[]): Leaf[] =>
  entries.flatMap((entry) => (entry.kind === 'group' ? entry.leaves : [entry]));

/** What values begin with when they come together: the defaults there are, and the least that is right elsewhere; what may be left out is. */
export function firstValues({ path, leaves }: Group): Record<string, unknown> {
  const needed = leaves.filter(({ optional, fallback }) => !optional || fallback !== undefined);
  return needed.reduce<Tree>(
    (tree, leaf) =>
      withValue(
        tree,
        leaf.path.slice(path.length + 1),
        leaf.fallback === undefined ? startValue(leaf) : leaf.fallback,
      ),
    {},
  );
}

function startValue(leaf: Leaf): unknown {
  switch (leaf.kind) {
    case 'number':
      return leaf.least === null || leaf.least <= 0 ? 0.1 : leaf.least;
    case 'choice':
      return leaf.options[0];
    case 'choices':
      return leaf.options.slice(0, 1);
    case 'switch':
      return false;
    case 'list':
      return [];
    case 'numbers':
      return Array.from({ length: leaf.count }, () => 0);
    case 'text':
      return '';
    case 'json':
      return undefined;
  }
}
