const UNITS = [
  'zero',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
  'thirteen',
  'fourteen',
  'fifteen',
  'sixteen',
  'seventeen',
  'eighteen',
  'nineteen',
];
const TENS = ['twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];
const SCALES: Record<string, number> = { hundred: 100, thousand: 1000, million: 1_000_000 };

const VALUES = new Map<string, number>([
  ...UNITS.map((word, index): [string, number] => [word, index]),
  ...TENS.map((word, index): [string, number] => [word, (index + 2) * 10]),
]);

const WORD = new RegExp(`^(?:${[...VALUES.keys(), ...Object.keys(SCALES)].join('|')})$`, 'i');
/** Between two number words only. */
const LINK = /^(?:[ \t]*-[ \t]*|[ \t]+and[ \t]+|[ \t]+)$/i;

/** Rewrites numbers spelled out in English ("forty-two", "one hundred and five") in digits; everything else stays as it was. */
export function digitsForWords(text: string): string {
  const parts = text.split(/([A-Za-z]+)/);
  let result = '';
  for (let at = 0; at < parts.length; at++) {
    if (!WORD.test(parts[at]!)) {
      result += parts[at];
      continue;
    }
    const run = [parts[at]!.toLowerCase()];
    let next = at;
    for (;;) {
      const [link, word] = extension(parts, next);
      if (word === null || !continues(run, word.toLowerCase())) break;
      run.push(word.toLowerCase());
      next += link;
    }
    result += String(valueOf(run));
    at = next;
  }
  return result;
}

/** The next number word after index `at` and how many parts away it lies; "and" may stand between. */
function extension(parts: string[], at: number): [number, string | null] {
  const near = parts[at + 2];
  if (near !== undefined && WORD.test(near) && LINK.test(parts[at + 1]!)) return [2, near];
  const far = parts[at + 4];
  if (
    near?.toLowerCase() === 'and' &&
    far !== undefined &&
    WORD.test(far) &&
    LINK.test(parts[at + 1]!) &&
    LINK.test(parts[at + 3]!)
  )
    return [4, far];
  return [0, null];
}

/** "twenty one" is one number, "one two" are two, "four and eight" too. */
function continues(run: string[], word: string): boolean {
  const last = run.at(-1)!;
  if (word in SCALES) return true;
  const value = VALUES.get(word)!;
  if (last in SCALES) return value < SCALES[last]!;
  return VALUES.get(last)! >= 20 && value > 0 && value < 10;
}

function valueOf(run: string[]): number {
  let total = 0;
  let current = 0;
  for (const word of run) {
    const scale = SCALES[word];
    if (scale === undefined) current += VALUES.get(word)!;
    else if (scale === 100) current = (current || 1) * 100;
    else {
      total += (current || 1) * scale;
      current = 0;
    }
  }
  return total + current;
}

/** English for an integer below a million in size; the inverse of `digitsForWords` for seeded tests and for comparisons. */
export function wordsForNumber(value: number): string {
  if (value < 0) return `minus ${wordsForNumber(-value)}`;
  if (value < 20) return UNITS[value]!;
  if (value < 100) return TENS[Math.floor(value / 10) - 2]! + (value % 10 ? `-${UNITS[value % 10]}` : '');
  const [size, name] = value < 1000 ? [100, 'hundred'] : [1000, 'thousand'];
  return `${wordsForNumber(Math.floor(value / size))} ${name}${value % size ? ` ${wordsForNumber(value % size)}` : ''}`;
}
