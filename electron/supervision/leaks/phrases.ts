export const SCALES: Record<string, number> = { hundred: 100, thousand: 1000, million: 1_000_000 };

/** A number or a sum in brackets that an earlier phrase became, and an article or a noun before it. */
const N = String.raw`(?:the )?(?:(?:numbers?|integers?|values?) )?(\([^()]{1,60}\)|-?\d+(?:\.\d+)?(?!\d))`;
const phrase = (pattern: string): RegExp =>
  new RegExp(String.raw`(?<![\w.])${pattern.replaceAll('N', () => N)}`, 'gi');

const PLURALS = [
  'twos',
  'threes',
  'fours',
  'fives',
  'sixes',
  'sevens',
  'eights',
  'nines',
  'tens',
  'elevens',
  'twelves',
];
const PARTS = ['half', 'third', 'quarter', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'];

export type Rewriting = [RegExp, string | ((...match: string[]) => string)];

/** Signs and words that stand for one operator. */
export const OPERATORS: Rewriting[] = [
  [/\\(?:d?frac)\s*\{([^{}]*)\}\s*\{([^{}]*)\}/g, '($1)/($2)'],
  [/\\(?:times|cdot)/g, '*'],
  [/[×·]/g, '*'],
  [/÷/g, '/'],
  [/[−–—]/g, '-'],
  [/\b(?:times|multiplied by)\b/gi, '*'],
  [/\bdivided by\b/gi, '/'],
  [/\bplus\b/gi, '+'],
  [/\bminus\b/gi, '-'],
  [/\bnegative\s+(?=\d)/gi, '-'],
  [/\bover\b(?=\s*\d)/gi, '/'],
  [/\*\*/g, '^'],
  [/(\d) point (\d+(?: \d)*)/gi, (_, before, after) => `${before}.${after!.replaceAll(' ', '')}`],
  [/(?<![\w.])(\d+(?:\.\d+)?) ?(?:k|1000)\b(?=$|[^\w])/gi, '($1*1000)'],
  [
    /(?<![\w.])(\d+(?:\.\d+)?) (hundred|million)s?\b/gi,
    (_, count, size) => `(${count}*${SCALES[size!.toLowerCase()]})`,
  ],
  [/√ ?\(?(\d{1,15})\)?|\\sqrt\s*\{(\d{1,15})\}/g, (all, sign, latex) => rootOf(sign ?? latex!) ?? all!],
  [
    /(?<![\w.])(\d+) and (?:a|one|1) (half|third|quarter|fifth)\b/gi,
    (_, count, part) => `(${count}+1/${PARTS.indexOf(part!.toLowerCase()) + 2})`,
  ],
  [/\bhalf a dozen\b/gi, '6'],
  [/(?<![\w.])(?:(\d+) |an? )?dozen\b/gi, (_, count) => `(${count ?? 1}*12)`],
];

/** What a phrase of one or two numbers comes to; applied twice, so that one may stand inside of another. */
export const PHRASES: Rewriting[] = [
  [phrase(String.raw`(?:twice|double(?: of)?|two times) N`), '(2*$1)'],
  [phrase(String.raw`(?:thrice|triple(?: of)?) N`), '(3*$1)'],
  [phrase(String.raw`quadruple(?: of)? N`), '(4*$1)'],
  [
    phrase(String.raw`(?:(?:a|one|1) )?(${PARTS.join('|')})(?: of)? N`),
    (_, part, value) => `(${value}/${PARTS.indexOf(part!.toLowerCase()) + 2})`,
  ],
  [
    phrase(String.raw`N (${PLURALS.join('|')})\b(?:,? (?:and|with) N (?:ones?|units?))?`),
    (_, count, plural, rest) =>
      `(${count}*${PLURALS.indexOf(plural!.toLowerCase()) + 2}${rest ? `+${rest}` : ''})`,
  ],
  [phrase(String.raw`N squared`), '($1^2)'],
  [phrase(String.raw`square of N`), '($1^2)'],
  [phrase(String.raw`N cubed`), '($1^3)'],
  [phrase(String.raw`cube of N`), '($1^3)'],
  [phrase(String.raw`N (?:raised )?to the (?:power (?:of )?)?N(?:st|nd|rd|th)?`), '($1^$2)'],
  [phrase(String.raw`(?:square )?root of N`), (all, value) => rootOf(value!) ?? all!],
  [phrase(String.raw`N ?(?:%|percent|per cent) of N`), '($1*$2/100)'],
  [phrase(String.raw`N (?:less|fewer|lower|smaller) than N`), '($2-$1)'],
  [phrase(String.raw`N (?:below|under|before|short of|shy of|down from) N`), '($2-$1)'],
  [phrase(String.raw`N (?:more|greater|higher|larger|bigger) than N`), '($2+$1)'],
  [phrase(String.raw`N (?:above|after|past|beyond|on top of|up from) N`), '($2+$1)'],
  [phrase(String.raw`(?:just|right|directly|immediately) (?:below|under|before) N`), '($1-1)'],
  [phrase(String.raw`(?:just|right|directly|immediately) (?:above|after|past) N`), '($1+1)'],
  [phrase(String.raw`(?:number|integer|value|one) (?:that comes )?(?:before|preceding) N`), '($1-1)'],
  [phrase(String.raw`(?:number|integer|value|one) (?:that comes )?(?:after|following) N`), '($1+1)'],
  [phrase(String.raw`(?:negative|opposite|negation) of N`), '(-$1)'],
  [
    phrase(String.raw`(?:mid-?way|half-?way|the middle|mean|average)(?: point)? (?:between|of) N and N`),
    '(($1+$2)/2)',
  ],
  [
    phrase(
      String.raw`N (?:in|for|at|as) the tens(?: place| digit| column)?,? (?:and )?(?:an? )?N (?:in|for|at|as) the (?:ones|units)`,
    ),
    '(10*$1+$2)',
  ],
  [
    phrase(
      String.raw`tens (?:digit|place|column) (?:is|has|holds)(?: an?)? N,? (?:and )?(?:the )?(?:ones|units) (?:digit|place|column) (?:is|has|holds)(?: an?)? N`,
    ),
    '(10*$1+$2)',
  ],
  [phrase(String.raw`predecessor of N`), '($1-1)'],
  [phrase(String.raw`successor of N`), '($1+1)'],
  [phrase(String.raw`between N and N`), (all, low, high) => middleOf(low!, high!) ?? all!],
  [phrase(String.raw`(?:sum|total) of N(?:, N)?,? and N`), (_, a, b, c) => `(${a}${b ? `+${b}` : ''}+${c})`],
  [phrase(String.raw`product of N(?:, N)?,? and N`), (_, a, b, c) => `(${a}${b ? `*${b}` : ''}*${c})`],
  [phrase(String.raw`(?:difference|distance) (?:of|between|from) N (?:and|to) N`), '($1-$2) ; ($2-$1)'],
  [phrase(String.raw`(?:quotient|ratio) of N (?:and|to|by) N`), '($1/$2)'],
  [phrase(String.raw`(?:add(?:ing)?|put(?:ting)?) N (?:to|onto|and|on top of) N`), '($1+$2)'],
  [
    phrase(String.raw`(?:subtract(?:ing)?|tak(?:e|ing)|remov(?:e|ing)|deduct(?:ing)?) N (?:away )?from N`),
    '($2-$1)',
  ],
  [phrase(String.raw`N (?:is |when )?(?:subtracted|taken|removed|deducted)(?: away)? from N`), '($2-$1)'],
  [phrase(String.raw`N added to N`), '($1+$2)'],
  [phrase(String.raw`N (?:increased|raised|incremented|extended) by N`), '($1+$2)'],
  [phrase(String.raw`N (?:decreased|reduced|lowered|diminished|decremented) by N`), '($1-$2)'],
  [phrase(String.raw`N (?:take away|less|without) N`), '($1-$2)'],
  [phrase(String.raw`N,? (?:and|with) N (?:more|extra|on top|added)`), '($1+$2)'],
  [phrase(String.raw`multiply(?:ing)? N (?:by|with|and) N`), '($1*$2)'],
  [phrase(String.raw`divid(?:e|ing) N by N`), '($1/$2)'],
  [
    phrase(String.raw`remainder of N (?:divided by|over|by|/|and|mod(?:ulo)?) N`),
    (all, a, b) => restOf(a!, b!) ?? all!,
  ],
  [phrase(String.raw`N (?:mod|modulo|%) N`), (all, a, b) => restOf(a!, b!) ?? all!],
  [phrase(String.raw`N (?:factorial|!(?= |$))`), (all, value) => factorialOf(value!) ?? all!],
];

const whole = (text: string): bigint | null => (/^-?\d{1,20}$/.test(text) ? BigInt(text) : null);

function rootOf(text: string): string | null {
  const root = Math.round(Math.sqrt(Number(text)));
  return root * root === Number(text) ? ` (${root}) ` : null;
}

function middleOf(low: string, high: string): string | null {
  const [a, b] = [whole(low), whole(high)];
  return a !== null && b !== null && b - a === 2n ? ` (${a + 1n}) ; ${low} and ${high}` : null;
}

function restOf(value: string, by: string): string | null {
  const [a, b] = [whole(value), whole(by)];
  return a !== null && b !== null && b > 0n ? ` (${((a % b) + b) % b}) ; ${value} ; ${by}` : null;
}

function factorialOf(text: string): string | null {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 2 || value > 20) return null;
  return ` (${Array.from({ length: value }, (_, index) => BigInt(index + 1)).reduce((a, b) => a * b)}) `;
}
