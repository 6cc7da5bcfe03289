/** Longer questions are no mere sums. */
const MOST_CHARACTERS = 160;
/** A number of more digits is no answer that anybody is asked for. */
const MOST_DIGITS = 40;
const MOST_EXPONENT = 64n;

const ASKS = /^(?:what is|what's|compute|calculate|evaluate|find the value of|find|work out)[:\s]+/;
const WORDS: readonly [RegExp, string][] = [
  [/,? plus\b/g, '+'],
  [/,? minus\b/g, '-'],
  [/ times\b/g, '*'],
  [/ multiplied by\b/g, '*'],
  [/ divided by\b/g, '/'],
  [/[×·⋅]|\\times|\\cdot/g, '*'],
  [/÷|\\div/g, '/'],
  [/−/g, '-'],
];

type Fraction = { over: bigint; under: bigint };

/**
 * The answer to a question that is nothing but arithmetic on numbers, as an exact whole number or fraction: "What is 3 + 4 * 2?". Null
 * for every other question, whose answer nobody here knows.
 */
export function computedAnswer(question: string): string | null {
  const text = question
    .slice(0, MOST_CHARACTERS + 1)
    .toLowerCase()
    .trim();
  if (text.length > MOST_CHARACTERS) return null;
  const bare = text
    .replace(/[?.!=\s]*$/, '')
    .replaceAll('$', '')
    .trim();
  const asked = WORDS.reduce((all, [word, sign]) => all.replace(word, sign), bare.replace(ASKS, ''));
  const tokens = asked.match(/\d+(?:\.\d+)?|[-+*/^()]|\S/g) ?? [];
  // A number alone asks for nothing.
  if (tokens.length < 3) return null;
  const value = new Arithmetic(tokens).value();
  if (value === null) return null;
  return value.under === 1n ? String(value.over) : `${value.over}/${value.under}`;
}

/** Sums of products of powers, read from left to right; powers from right to left. */
class Arithmetic {
  #at = 0;
  readonly #tokens: readonly string[];

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  /** Null where the tokens are anything else, or a value has no bounds. */
  value(): Fraction | null {
    const sum = this.#sum();
    return this.#at === this.#tokens.length ? sum : null;
  }

  #take(...signs: string[]): string | null {
    const token = this.#tokens[this.#at];
    if (token === undefined || !signs.includes(token)) return null;
    this.#at += 1;
    return token;
  }

  #sum(): Fraction | null {
    let left = this.#product();
    for (let sign = this.#take('+', '-'); sign !== null; sign = this.#take('+', '-')) {
      const right = this.#product();
      if (left === null || right === null) return null;
      const by = sign === '+' ? right.over : -right.over;
      left = reduced(left.over * right.under + by * left.under, left.under * right.under);
    }
    return left;
  }

  #product(): Fraction | null {
    let left = this.#signed();
    for (let sign = this.#take('*', '/'); sign !== null; sign = this.#take('*', '/')) {
      const right = this.#signed();
      if (left === null || right === null) return null;
      left =
        sign === '*'
          ? reduced(left.over * right.over, left.under * right.under)
          : reduced(left.over * right.under, left.under * right.over);
    }
    return left;
  }

  #signed(): Fraction | null {
    if (this.#take('-') === null) return this.#power();
    const value = this.#power();
    return value === null ? null : { over: -value.over, under: value.under };
  }

  #power(): Fraction | null {
    const base = this.#atom();
    if (base === null || this.#take('^') === null) return base;
    const exponent = this.#signed();
    if (exponent === null || exponent.under !== 1n || exponent.over < 0n || exponent.over > MOST_EXPONENT)
      return null;
    return reduced(base.over ** exponent.over, base.under ** exponent.over);
  }

  #atom(): Fraction | null {
    if (this.#take('(') !== null) {
      const inner = this.#sum();
      return this.#take(')') === null ? null : inner;
    }
    const token = this.#tokens[this.#at] ?? '';
    if (!/^\d/.test(token)) return null;
    this.#at += 1;
    const [whole = '', parts = ''] = token.split('.');
    return reduced(BigInt(whole + parts), 10n ** BigInt(parts.length));
  }
}

/** In lowest terms; null for a division by 0 or a number beyond all bounds. */
function reduced(over: bigint, under: bigint): Fraction | null {
  if (under === 0n) return null;
  let [a, b] = [over < 0n ? -over : over, under < 0n ? -under : under];
  if (String(a).length > MOST_DIGITS || String(b).length > MOST_DIGITS) return null;
  while (b > 0n) [a, b] = [b, a % b];
  const by = under < 0n ? -a : a;
  return { over: over / by, under: under / by };
}
