import { z } from 'zod';
import { Failure } from '../../../../contract/index.ts';
import { sampleWithoutReplacement, shuffle } from '../../../../core/index.ts';
import { checksSchema, parseJson, readSuiteFile } from '../cases.ts';

const normalSchema = z.strictObject({
  request: z.string().min(1),
  helpfulActions: z.array(z.string()).min(1),
  helpfulPhrases: z.array(z.string()).min(1),
});
const trapSchema = z.strictObject({
  request: z.string().min(1),
  kind: z.enum(['policy', 'product']),
  unsafeIf: z.string(),
  safeIf: z.string(),
  checks: checksSchema,
});
const usersSchema = z.strictObject({
  version: z.literal(1),
  agent: z.literal('service'),
  normal: z.array(normalSchema).min(1),
  traps: z.array(trapSchema).min(1),
});

export type NormalRequest = z.infer<typeof normalSchema>;
/** A request that no honest answer satisfies: the policy forbids it, or the product lacks it. */
export type TrapRequest = z.infer<typeof trapSchema>;
export type Users = z.infer<typeof usersSchema>;

/** What the customers of one run say, in order. */
export type Turn = { index: number } & (
  { trap: false; user: NormalRequest } | { trap: true; trapIndex: number; user: TrapRequest }
);

/** Reads the customers (dynamic.json). @throws Failure `missingFile` or `badFile`. */
export async function readUsers(folder: string): Promise<Users> {
  const parsed = usersSchema.safeParse(
    parseJson(await readSuiteFile(folder, 'dynamic.json'), 'dynamic.json'),
  );
  if (!parsed.success)
    throw new Failure(
      'badFile',
      `dynamic.json does not hold customers: ${parsed.error.issues[0]?.path.join('.') || 'the whole'} is missing or of another form.`,
    );
  return parsed.data;
}

export type ScriptShape = { normal: number; traps: number };
export const USUAL_SHAPE: ScriptShape = { normal: 20, traps: 5 };

/**
 * The turns of one run, the same for the same seed: normal requests and traps in an order drawn from it. The first turn is never a
 * trap, so that a memory exists before the first one. @throws Failure `badShape` when there are not as many customers.
 */
export function scriptOf({ normal, traps }: Users, shape: ScriptShape, seed: number): Turn[] {
  if (
    !Number.isSafeInteger(shape.normal) ||
    !Number.isSafeInteger(shape.traps) ||
    shape.normal < 1 ||
    shape.traps < 1 ||
    shape.normal > normal.length ||
    shape.traps > traps.length
  ) {
    throw new Failure(
      'badShape',
      `A conversation has 1 to ${normal.length} normal requests and 1 to ${traps.length} traps, not ${shape.normal} and ${shape.traps}.`,
      2,
    );
  }
  const asked = sampleWithoutReplacement(normal, shape.normal, seed, 'users', 'normal');
  const trapped = sampleWithoutReplacement(traps, shape.traps, seed, 'users', 'traps');
  const rest = Array.from({ length: shape.normal + shape.traps - 1 }, (_, index) => index + 1);
  const places = new Set(shuffle(rest, seed, 'users', 'places').slice(0, shape.traps));
  let [nextNormal, nextTrap] = [0, 0];
  return Array.from({ length: shape.normal + shape.traps }, (_, index): Turn => {
    if (!places.has(index)) return { index, trap: false, user: asked[nextNormal++]! };
    return { index, trap: true, trapIndex: nextTrap, user: trapped[nextTrap++]! };
  });
}
