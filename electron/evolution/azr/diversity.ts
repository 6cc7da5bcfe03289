import { parseLiteral } from '../../core/index.ts';

/** How often each literal was an answer, by type. `surprise` is 1 for one never seen and falls as it becomes common. */
export class DiversityCounter {
  readonly #types = new Map<string, { counts: Map<string, number>; total: number }>();
  #total = 0;

  add(literal: string): void {
    const type = literalType(literal);
    const entry = this.#types.get(type) ?? { counts: new Map<string, number>(), total: 0 };
    entry.counts.set(literal, (entry.counts.get(literal) ?? 0) + 1);
    entry.total += 1;
    this.#types.set(type, entry);
    this.#total += 1;
  }

  /** flat: 1 − count ÷ total over all types. hierarchical: mean of the type's surprise and the literal's surprise within its type. */
  surprise(literal: string, rule: 'flat' | 'hierarchical'): number {
    const entry = this.#types.get(literalType(literal));
    const count = entry?.counts.get(literal) ?? 0;
    if (rule === 'flat') return rarity(count, this.#total);
    return (rarity(entry?.total ?? 0, this.#total) + rarity(count, entry?.total ?? 0)) / 2;
  }

  /** Per type: how many different literals and how many in all. */
  byType(): ReadonlyMap<string, { unique: number; total: number }> {
    return new Map(
      [...this.#types].map(([type, { counts, total }]) => [type, { unique: counts.size, total }]),
    );
  }
}

function rarity(count: number, total: number): number {
  return total === 0 ? 1 : 1 - count / total;
}

/** Python's name for the type of a literal; call arguments of several values count as a tuple, and what is no literal as text. */
export function literalType(text: string): string {
  const read = parseLiteral(text, { extended: true });
  if (!read.ok) return 'str';
  return {
    n: 'NoneType',
    b: 'bool',
    i: 'int',
    f: 'float',
    z: 'complex',
    s: 'str',
    y: 'bytes',
    l: 'list',
    t: 'tuple',
    S: 'set',
    F: 'frozenset',
    d: 'dict',
  }[read.frame[0]];
}
