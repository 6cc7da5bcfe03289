/** Words and numbers of a text in lower case; marks and white space are none. */
export const lowerCaseWords = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/** Where one run of words may stand; more places than that of the same words are not followed. */
const MOST_PLACES = 64;

/** Words of runs that are followed, for each word of a text. Only a text that repeats itself has more, and its long runs are known by then. */
const MOST_FOLLOWED = 200;

/** The longest run of words that a text shares with one of the indexed texts: how many, and with which. */
export type Overlap = { words: number; text: number };

/**
 * Texts by every run of `gram` words, to find what another text shares with one of them: runs of words after Brown et al. (2020), who
 * took 13. Runs shorter than `gram` are not seen. Texts that are equal word for word are held once.
 */
export class NgramIndex {
  readonly #gram: number;
  readonly #ids = new Map<string, number>();
  readonly #texts: Int32Array[] = [];
  readonly #places = new Map<number, number[]>();
  readonly #known = new Map<string, number>();

  /** @throws RangeError unless `gram` is a whole number from 2. */
  constructor(gram: number) {
    if (!Number.isSafeInteger(gram) || gram < 2) throw new RangeError(`There are no runs of ${gram} words.`);
    this.#gram = gram;
  }

  get size(): number {
    return this.#texts.length;
  }

  /** Adds a text and returns its number; that of an equal one where it has been added before. */
  add(text: string): number {
    const words = lowerCaseWords(text);
    const key = words.join(' ');
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const number = this.#texts.length;
    const ids = Int32Array.from(words, (word) => {
      const id = this.#ids.get(word) ?? this.#ids.size;
      this.#ids.set(word, id);
      return id;
    });
    this.#known.set(key, number);
    this.#texts.push(ids);
    for (let at = 0; at + this.#gram <= ids.length; at += 1) {
      const hash = this.#hashAt(ids, at);
      const places = this.#places.get(hash) ?? [];
      if (places.length < 2 * MOST_PLACES) places.push(number, at);
      this.#places.set(hash, places);
    }
    return number;
  }

  /** The longest run that each indexed text shares with this one, of at least `gram` words. */
  overlaps(text: string): Overlap[] {
    const ids = Int32Array.from(lowerCaseWords(text), (word) => this.#ids.get(word) ?? -1);
    const longest = new Map<number, number>();
    let left = MOST_FOLLOWED * ids.length;
    for (let at = 0; at + this.#gram <= ids.length; at += 1) {
      const places = this.#places.get(this.#hashAt(ids, at)) ?? [];
      // Places of one text follow each other.
      let [number, other, known] = [-1, ids, 0];
      for (let index = 0; index < places.length; index += 2) {
        const start = places[index + 1] as number;
        if (places[index] !== number) {
          number = places[index] as number;
          other = this.#texts[number] as Int32Array<ArrayBuffer>;
          known = longest.get(number) ?? 0;
        }
        // In a text of one word all runs are long: only one that can be longer still is followed.
        if (Math.min(ids.length - at, other.length - start) <= known || left <= 0) continue;
        if (ids[at + known] !== other[start + known]) continue;
        const words = this.#shared(ids, at, other, start);
        left -= words;
        if (words < this.#gram || words <= known) continue;
        known = words;
        longest.set(number, known);
      }
    }
    return [...longest].map(([number, words]) => ({ text: number, words }));
  }

  /** Words that both share from these places on, where they do not share the word before as well: that run was counted from its start. */
  #shared(ids: Int32Array, at: number, other: Int32Array, start: number): number {
    if (at > 0 && start > 0 && ids[at - 1] === other[start - 1] && ids[at - 1] !== -1) return 0;
    let words = 0;
    while (
      at + words < ids.length &&
      start + words < other.length &&
      ids[at + words] === other[start + words]
    )
      words += 1;
    return words;
  }

  #hashAt(ids: Int32Array, at: number): number {
    let [first, second] = [0x811c9dc5, 0x9747b28c];
    for (let index = at; index < at + this.#gram; index += 1) {
      first = Math.imul(first ^ (ids[index] as number), 0x01000193);
      second = Math.imul(second ^ (ids[index] as number), 0x5bd1e995);
      second ^= second >>> 13;
    }
    return (first >>> 0) * 2 ** 21 + (second >>> 11);
  }
}
