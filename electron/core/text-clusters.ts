import { distancesOf, placeOf, shareGrams, STEPS_PER_REST, wordsOf } from './bleu.ts';
import { withRests } from './rests.ts';

/**
 * Texts that repeat each other, as groups: the distance of two is 1 − BLEU of the earlier one against the later one, 0 to itself, and groups
 * are joined by average linkage while they are closer than `cut`. Two empty texts are at distance 1, so each stands alone. Gives for each text
 * the number of its group, counted from 0 in the order in which groups first appear, and the size of each group by number. The thread is
 * never kept for longer than about 50 ms. Time grows with the square of the number of texts.
 * @param onProgress texts that were compared with all later ones. @throws the signal's reason on abort, RangeError for a cut below 0.
 */
export async function repetitionClusters(
  texts: readonly string[],
  {
    cut,
    signal,
    onProgress = () => {},
  }: { cut: number; signal?: AbortSignal; onProgress?: (done: number, total: number) => void },
): Promise<{ cluster: number[]; sizes: number[] }> {
  if (!Number.isFinite(cut) || cut < 0)
    throw new RangeError(`Texts cannot be grouped at distance ${cut}; a cut is 0 or more, usually up to 1.`);
  const groups = await withRests(groupTexts(texts, cut), {
    signal,
    onRest: (done) => onProgress(done, texts.length),
  });
  onProgress(texts.length, texts.length);
  return groups;
}

type Groups = { cluster: number[]; sizes: number[] };

/** All of the work; it may rest wherever it yields, which is how many texts were compared with all later ones. */
function* groupTexts(texts: readonly string[], cut: number): Generator<number, Groups> {
  const words: string[][] = [];
  for (const text of texts) {
    words.push(wordsOf(text));
    yield 0;
  }
  const distances = yield* distancesOf(yield* shareGrams(words));
  return numbered(yield* joinedBelow(distances, texts.length, cut));
}

/**
 * Average linkage (UPGMA) by nearest-neighbour chains (Murtagh 1983), in time that grows with the square of `count`: for each item the item
 * that stands for its group once all groups closer than `cut` are joined. Of equally near neighbours the one before in the chain is taken,
 * else the first, as SciPy does. `distances` holds all pairs, and is used up.
 */
function* joinedBelow(distances: Float64Array, count: number, cut: number): Generator<number, number[]> {
  const between = (a: number, b: number): number => (a < b ? placeOf(a, b, count) : placeOf(b, a, count));
  const size = new Int32Array(count).fill(1);
  const parent = Array.from({ length: count }, (_, item) => item);
  const chain: number[] = [];
  for (let left = count, steps = 0; left > 1;) {
    if (chain.length === 0) chain.push(size.findIndex((items) => items > 0));
    const tip = chain.at(-1) as number;
    const before = chain.at(-2);
    let nearest = before ?? -1;
    let least = before === undefined ? Infinity : (distances[between(tip, before)] as number);
    for (let other = 0; other < count; other += 1) {
      if (size[other] === 0 || other === tip) continue;
      const distance = distances[between(tip, other)] as number;
      if (distance < least) [nearest, least] = [other, distance];
    }
    if (nearest === before) {
      chain.length -= 2;
      const [gone, kept] = tip < nearest ? [tip, nearest] : [nearest, tip];
      const [ofGone, ofKept] = [size[gone] as number, size[kept] as number];
      for (let other = 0; other < count; other += 1) {
        if (size[other] === 0 || other === gone || other === kept) continue;
        const [far, near] = [between(gone, other), between(kept, other)];
        distances[near] =
          (ofGone * (distances[far] as number) + ofKept * (distances[near] as number)) / (ofGone + ofKept);
      }
      if (least < cut) parent[gone] = kept;
      size[gone] = 0;
      size[kept] = ofGone + ofKept;
      left -= 1;
    } else chain.push(nearest);
    steps += count;
    if (steps < STEPS_PER_REST) continue;
    steps = 0;
    yield count;
  }
  // A group is joined to one with a higher number, so that walking down meets every parent before its children.
  for (let item = count - 1; item >= 0; item -= 1) parent[item] = parent[parent[item] as number] as number;
  return parent;
}

/** Groups counted from 0 in the order in which they first appear. */
function numbered(standsFor: readonly number[]): Groups {
  const numbers = new Map<number, number>();
  const sizes: number[] = [];
  const cluster = standsFor.map((one) => {
    const number = numbers.get(one) ?? sizes.push(0) - 1;
    numbers.set(one, number);
    sizes[number] = (sizes[number] as number) + 1;
    return number;
  });
  return { cluster, sizes };
}
