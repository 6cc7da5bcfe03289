import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { failureKindSchema } from '../../../electron/contract/index.ts';
import { ROOT } from './support.ts';

export type Exchange = { method: string; params: Record<string, unknown>; result?: unknown; error?: unknown };
export type Examples = { session: Exchange[]; errorKinds: string[] };
/** What the client asks, by method, in the forms that the examples have. A method that the engine never sends is false. */
export type Asked = Record<string, false | (() => Promise<void>)>;

/** One session as the process's own test runs it; the stand-in refuses every request that is not in it. */
export const examplesOf = (name: string): Examples =>
  JSON.parse(readFileSync(join(ROOT, `test/wire/${name}.json`), 'utf8')) as Examples;

/** The client asks every method of the examples and no other, knows their errors, and asks each as it stands there. */
export function itKeepsTo(examples: Examples, asked: Asked): void {
  it('knows every method of the examples, and no other', () => {
    expect(Object.keys(asked).sort()).toEqual(
      [...new Set(examples.session.map(({ method }) => method))].sort(),
    );
  });
  it('knows every kind of error of the examples', () => {
    expect(examples.errorKinds.filter((kind) => !failureKindSchema.safeParse(kind).success)).toEqual([]);
  });
  it.each(Object.entries(asked).flatMap(([method, ask]) => (ask === false ? [] : [[method, ask] as const])))(
    'sends and reads %s as in the examples',
    async (_method, ask) => ask(),
  );
}
