/** Ways to write one known integer that no English sentence is read for: words of other languages, Roman and Chinese numerals, other bases. */

type Spell = (value: number) => string;
const words = (text: string): string[] => text.split(' ');

/** Up to a million, for a language that spells what is below one thousand. */
const withThousands =
  (thousand: string, below: Spell, join = ' '): Spell =>
  (value) => {
    if (value < 1000) return below(value);
    const [high, low] = [Math.floor(value / 1000), value % 1000];
    const count = high === 1 ? '' : `${below(high)}${join}`;
    return `${count}${thousand}${low === 0 ? '' : `${join}${below(low)}`}`;
  };

/** German and Dutch: units before tens, one word. */
function unitsFirst(units: string[], tens: string[], and: string, hundred: string, thousand: string): Spell {
  const one = units[0]!;
  const joined = (unit: number): string => (unit === 1 ? one : units[unit + 1]!);
  const below = (value: number): string => {
    if (value < 20) return units[value + 1]!;
    if (value < 100)
      return `${value % 10 === 0 ? '' : `${joined(value % 10)}${and}`}${tens[Math.floor(value / 10) - 2]}`;
    const count = Math.floor(value / 100);
    const rest = value % 100 === 0 ? '' : below(value % 100);
    return `${count === 1 ? (hundred === 'hundert' ? 'ein' : '') : units[count + 1]}${hundred}${rest}`;
  };
  const spell = withThousands(thousand, below, '');
  return (value) => (value >= 1000 && value < 2000 && thousand === 'tausend' ? 'ein' : '') + spell(value);
}

const german = unitsFirst(
  words(
    'ein null eins zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn funfzehn sechzehn siebzehn achtzehn neunzehn',
  ),
  words('zwanzig dreissig vierzig funfzig sechzig siebzig achtzig neunzig'),
  'und',
  'hundert',
  'tausend',
);
const dutch = unitsFirst(
  words(
    'een nul een twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien achttien negentien',
  ),
  words('twintig dertig veertig vijftig zestig zeventig tachtig negentig'),
  'en',
  'honderd',
  'duizend',
);

const FRENCH = words(
  'zero un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf',
);
const FRENCH_TENS = words('vingt trente quarante cinquante soixante soixante quatre-vingt quatre-vingt');
const french = withThousands('mille', function below(value): string {
  if (value < 20) return FRENCH[value]!.replace('-', ' ');
  if (value < 100) {
    const ten = Math.floor(value / 10);
    const rest = value - (ten === 7 || ten === 9 ? ten - 1 : ten) * 10;
    const name = FRENCH_TENS[ten - 2]!.replace('-', ' ');
    if (value === 80) return 'quatre vingts';
    if (rest === 0) return name;
    return `${name}${rest % 10 === 1 && ten < 8 ? ' et' : ''} ${below(rest)}`;
  }
  const [count, rest] = [Math.floor(value / 100), value % 100];
  if (rest === 0) return count === 1 ? 'cent' : `${FRENCH[count]} cents`;
  return `${count === 1 ? '' : `${FRENCH[count]} `}cent ${below(rest)}`;
});

/** Spanish, Italian and Portuguese have a word of their own for each hundred or build it; the joints differ. */
const SPANISH = words(
  'cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis diecisiete dieciocho diecinueve veinte veintiuno veintidos veintitres veinticuatro veinticinco veintiseis veintisiete veintiocho veintinueve',
);
const SPANISH_TENS = words('treinta cuarenta cincuenta sesenta setenta ochenta noventa');
const SPANISH_HUNDREDS = words(
  'ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos',
);
const spanish = withThousands('mil', function below(value): string {
  if (value < 30) return SPANISH[value]!;
  if (value < 100)
    return `${SPANISH_TENS[Math.floor(value / 10) - 3]}${value % 10 === 0 ? '' : ` y ${SPANISH[value % 10]}`}`;
  if (value === 100) return 'cien';
  return `${SPANISH_HUNDREDS[Math.floor(value / 100) - 1]}${value % 100 === 0 ? '' : ` ${below(value % 100)}`}`;
});

const ITALIAN = words(
  'zero uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici diciassette diciotto diciannove',
);
const ITALIAN_TENS = words('venti trenta quaranta cinquanta sessanta settanta ottanta novanta');
function italianBelow(value: number): string {
  if (value < 20) return ITALIAN[value]!;
  if (value < 100) {
    const [ten, unit] = [ITALIAN_TENS[Math.floor(value / 10) - 2]!, value % 10];
    return `${unit === 1 || unit === 8 ? ten.slice(0, -1) : ten}${unit === 0 ? '' : ITALIAN[unit]}`;
  }
  const count = Math.floor(value / 100);
  return `${count === 1 ? '' : ITALIAN[count]}cento${value % 100 === 0 ? '' : italianBelow(value % 100)}`;
}
const italian: Spell = (value) =>
  value >= 1000 && value < 2000
    ? `mille${value === 1000 ? '' : italianBelow(value % 1000)}`
    : withThousands('mila', italianBelow, '')(value);

const PORTUGUESE = words(
  'zero um dois tres quatro cinco seis sete oito nove dez onze doze treze quatorze quinze dezesseis dezessete dezoito dezenove',
);
const PORTUGUESE_TENS = words('vinte trinta quarenta cinquenta sessenta setenta oitenta noventa');
const PORTUGUESE_HUNDREDS = words(
  'cento duzentos trezentos quatrocentos quinhentos seiscentos setecentos oitocentos novecentos',
);
const portuguese = withThousands('mil', function below(value): string {
  if (value < 20) return PORTUGUESE[value]!;
  if (value < 100)
    return `${PORTUGUESE_TENS[Math.floor(value / 10) - 2]}${value % 10 === 0 ? '' : ` e ${PORTUGUESE[value % 10]}`}`;
  if (value === 100) return 'cem';
  return `${PORTUGUESE_HUNDREDS[Math.floor(value / 100) - 1]}${value % 100 === 0 ? '' : ` e ${below(value % 100)}`}`;
});

const LANGUAGES: readonly Spell[] = [german, french, spanish, italian, portuguese, dutch];
/** Number words of these languages that are English words of another meaning. */
const ENGLISH_TOO = new Set([
  'once',
  'elf',
  'cent',
  'due',
  'sei',
  'tien',
  'een',
  'un',
  'um',
  'ein',
  'mil',
  'dos',
]);

const ROMAN: readonly [number, string][] = [
  [1000, 'M'],
  [900, 'CM'],
  [500, 'D'],
  [400, 'CD'],
  [100, 'C'],
  [90, 'XC'],
  [50, 'L'],
  [40, 'XL'],
  [10, 'X'],
  [9, 'IX'],
  [5, 'V'],
  [4, 'IV'],
  [1, 'I'],
];

function roman(value: number): string {
  let [rest, text] = [value, ''];
  for (const [size, letters] of ROMAN) {
    text += letters.repeat(Math.floor(rest / size));
    rest %= size;
  }
  return text;
}

const CHINESE = [...'〇一二三四五六七八九'];

/** Up to 9,999, as counted and digit by digit. */
function chinese(value: number): string[] {
  const digits = [...String(value)];
  const places = digits
    .map((digit, at) =>
      digit === '0' ? '' : CHINESE[Number(digit)]! + ['', '十', '百', '千'][digits.length - 1 - at]!,
    )
    .join('');
  return [places, places.replace(/^一十/, '十'), digits.map((digit) => CHINESE[Number(digit)]).join('')];
}

/** Distinct integers of an answer that are looked for; a longer list is found by these. */
const MOST = 24;
const HIGHEST = 999_999n;
/** Words of the longest name, such as "trois cent quatre vingt dix sept mille …". */
const LONGEST_NAME = 12;

/**
 * The text with digits in the place of every such form of these integers, to be read as if it had been written in English; null when
 * there is none. Accents and capitals of the rest are lost.
 */
export function formsInDigits(text: string, values: readonly bigint[]): string | null {
  const sizes = [...new Set(values.map((value) => (value < 0n ? -value : value)))]
    .filter((value) => value <= HIGHEST)
    .slice(0, MOST)
    .map(Number);
  const named = new Map<string, number>();
  const numerals = new Map<string, number>();
  for (const size of sizes) {
    for (const spell of LANGUAGES) {
      const name = spell(size);
      if (ENGLISH_TOO.has(name)) continue;
      const joined = name.replaceAll(' ', '').replace('centsmille', 'centmille');
      for (const form of [joined, joined.replace(/^ein(?=hundert|tausend)/, '')]) named.set(form, size);
    }
    if (size > 1 && size < 4000) numerals.set(roman(size), size);
    if (size > 12 && size < 4000) numerals.set(roman(size).toLowerCase(), size);
    if (size > 0 && size < 10_000) for (const form of chinese(size)) numerals.set(form, size);
  }
  const plain = text
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .replaceAll('ß', 'ss')
    .replace(/(f)uenf|(zw)oelf/gi, (_, five: string, twelve: string) =>
      five ? `${five}unf` : `${twelve}olf`,
    );
  const read = plain.replace(
    /(?<![\p{L}\p{N}])(?:[IVXLCDM]{2,}|[ivxlcdm]{2,})(?![\p{L}\p{N}])|[〇零一二三四五六七八九十百千]+/gu,
    (form) => ` ${numerals.get(form.replaceAll('零', '〇')) ?? form} `,
  );
  const replaced = namesInDigits(read.toLowerCase(), named);
  return replaced.replace(/\s+/g, '') === plain.toLowerCase().replace(/\s+/g, '') ? null : replaced;
}

/** At each word the longest name that begins there; between its words there may be spaces and hyphens. */
function namesInDigits(text: string, named: ReadonlyMap<string, number>): string {
  // Words at even places, what stands between them at odd ones.
  const parts = text.split(/([^\p{L}\p{N}]+)/u);
  let result = '';
  for (let at = 0; at < parts.length; at += 2) {
    const found = longestName(parts, at, named);
    result += found === null ? parts[at] : String(found.value);
    at = found?.end ?? at;
    result += parts[at + 1] ?? '';
  }
  return result;
}

function longestName(
  parts: readonly string[],
  start: number,
  named: ReadonlyMap<string, number>,
): { value: number; end: number } | null {
  let [joined, found]: [string, { value: number; end: number } | null] = ['', null];
  for (let end = start; end < Math.min(parts.length, start + 2 * LONGEST_NAME); end += 2) {
    joined += parts[end];
    const value = named.get(joined);
    if (value !== undefined) found = { value, end };
    if (!/^[\s-]*$/.test(parts[end + 1] ?? '.')) break;
  }
  return found;
}
