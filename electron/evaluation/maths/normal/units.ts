/**
 * The words that Qwen's and AZR's published graders take for units (mostly from MathQA), in their order, as patterns: a dot stands
 * for any character. They are matched as whole words wherever they stand, which is why "east" or "t" alone can be an answer lost.
 */
const WORDS =
  `east|degree|mph|kmph|ft|m sqaure| m east|sq m|deg|mile|q .|monkey|prime|ratio|profit of rs|rd|o|gm|p . m|lb|tile|per|dm|lt|gain|ab|way|west
a .|b .|c .|d .|e .|f .|g .|h .|t|a|h|no change|men|soldier|pie|bc|excess|st|inches|noon|percent|by|gal|kmh|c|acre|rise|a . m|th|π r 2|sq|mark|l|toy|coin
sq . m|gallon|° f|profit|minw|yr|women|feet|am|pm|hr|cu cm|square|v â € ™|are|rupee|rounds|cubic|cc|mtr|s|ohm|number|kmph|day|hour|minute|min|second|man
woman|sec|cube|mt|sq inch|mp|∏ cm ³|hectare|more|sec|unit|cu . m|cm 2|rs .|rs|kg|g|month|km|m|cm|mm|apple|liter|loss|yard|pure|year|increase|decrease|d|less
Surface|litre|pi sq m|s .|metre|meter|inch`.split(/[|\n]/);

let known: { literal: string | null; pattern: RegExp }[] | null = null;
/** Made when they are first needed: compiling them takes a tenth of a program's start. */
const patterns = (): NonNullable<typeof known> =>
  (known ??= [...WORDS, ...WORDS.map((word) => `${word}s`)].map((word) => ({
    literal: word.includes('.') ? null : word,
    pattern: new RegExp(`(^|[^\\p{L}\\p{N}_])${word.replaceAll('.', '[^\\n]')}($|[^\\p{L}\\p{N}_])`, 'gu'),
  })));

/** Removes each unit word, twice over the list; a removal that would leave nothing is not made. */
export function withoutUnits(text: string): string {
  let current = text;
  for (let round = 0; round < 2; round += 1) {
    for (const { literal, pattern } of patterns()) {
      if (literal !== null && !current.includes(literal)) continue;
      const removed = current.replace(pattern, '$1$2');
      if (removed !== '') current = removed;
    }
  }
  return current;
}

/** Unit words that can follow a number, for the repaired form. Single letters are not among them: "6m" may be a product. */
export const TRAILING_UNITS = [
  'square',
  'sq',
  'cubic',
  'cu',
  'degrees?',
  'miles?',
  'mph',
  'kmph',
  'feet',
  'foot',
  'ft',
  'inch(?:es)?',
  'yards?',
  'pounds?',
  'dollars?',
  'cents?',
  'percent',
  'gallons?',
  'lit(?:er|re)s?',
  'hectares?',
  'acres?',
  '(?:kilo|centi|milli)?met(?:er|re)s?',
  'km',
  'cm',
  'mm',
  'kg',
  'units?',
  'per',
  'hours?',
  'minutes?',
  'seconds?',
  'days?',
  'weeks?',
  'months?',
  'years?',
  'hr',
  'min',
  'sec',
  'men',
  'women',
  'apples?',
  'coins?',
  'ways',
];

/** Symbols that are units where they are set upright. */
export const UNIT_SYMBOLS = [
  'm',
  's',
  'g',
  'h',
  'J',
  'N',
  'W',
  'V',
  'K',
  'Hz',
  'eV',
  'keV',
  'MeV',
  'GeV',
  'Pa',
  'mol',
  'ly',
  'pc',
  'kpc',
  'AU',
  'yr',
  'erg',
  'nm',
  'lb',
];
