import type { EncodedValue } from '../../contract/index.ts';
import { encodedFloat } from './encoded-value.ts';
import type { LiteralSource } from './literal-tokens.ts';
import { valueKey } from './value-compare.ts';

/** A set or frozenset: items hashable, equal ones (1 == 1.0 == True) merged into the first, sorted by their JSON text. */
export function buildSet(
  tag: 'S' | 'F',
  items: readonly EncodedValue[],
  source: LiteralSource,
): EncodedValue {
  const kept = new Map<string, EncodedValue>();
  for (const [index, item] of items.entries()) {
    const key = hashableKey(item, index, source);
    if (!kept.has(key)) kept.set(key, item);
  }
  return [tag, sortItems([...kept.values()])];
}

/** A dict: keys hashable, the first of equal keys keeps its place and spelling, the last value wins. */
export function buildDict(
  entries: readonly [EncodedValue, EncodedValue][],
  source: LiteralSource,
): EncodedValue {
  const kept = new Map<string, [EncodedValue, EncodedValue]>();
  for (const [index, [key, value]] of entries.entries()) {
    const identity = hashableKey(key, index, source);
    kept.set(identity, [kept.get(identity)?.[0] ?? key, value]);
  }
  return ['d', [...kept.values()]];
}

/** What the few calls that count as literals stand for; collection classes become the plain list or dict of their content. */
export function buildCall(
  name: string,
  parameters: readonly EncodedValue[],
  source: LiteralSource,
  start: number,
): EncodedValue {
  const [only] = parameters;
  if (parameters.length > 1) source.fail(`${name}(...) takes one value in a literal`, start);
  const items =
    only === undefined
      ? []
      : only[0] === 'l' || only[0] === 't' || only[0] === 'S' || only[0] === 'F'
        ? only[1]
        : null;
  switch (name) {
    case 'set':
      return only === undefined ? ['S', []] : source.fail('Write a set with items in braces', start);
    case 'frozenset':
      return items === null
        ? source.fail('frozenset(...) takes a set, list or tuple', start)
        : buildSet('F', items, source);
    case 'deque':
      return items === null ? source.fail('deque(...) takes a list', start) : ['l', items];
    case 'float': {
      const word = only?.[0] === 's' ? only[1].trim().toLowerCase().replace('infinity', 'inf') : '';
      const value = { inf: Infinity, '+inf': Infinity, '-inf': -Infinity, nan: Number.NaN }[word];
      return value === undefined
        ? source.fail("float(...) is a literal only for 'inf', '-inf' and 'nan'", start)
        : encodedFloat(value);
    }
    default: {
      if (only === undefined) return ['d', []];
      if (only[0] === 'd') return only;
      const pairs = name === 'OrderedDict' ? (items ?? []).filter(isPair) : [];
      if (items === null || pairs.length !== items.length) source.fail(`${name}(...) takes a dict`, start);
      return buildDict(
        pairs.map((pair) => pair[1]),
        source,
      );
    }
  }
}

function isPair(encoded: EncodedValue): encoded is ['l' | 't', [EncodedValue, EncodedValue]] {
  return (encoded[0] === 'l' || encoded[0] === 't') && encoded[1].length === 2;
}

/** The order of sets in encoded values: by ASCII JSON text, which every language sorts alike. */
function sortItems(items: readonly EncodedValue[]): EncodedValue[] {
  return items
    .map((item) => ({ item, text: asciiJson(item) }))
    .sort((left, right) => (left.text < right.text ? -1 : left.text > right.text ? 1 : 0))
    .map(({ item }) => item);
}

function asciiJson(encoded: EncodedValue): string {
  return JSON.stringify(encoded).replace(
    /[\x7f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function hashableKey(encoded: EncodedValue, index: number, source: LiteralSource): string {
  if (!isHashable(encoded)) source.fail('A list, set or dict cannot be a set item or a dict key');
  return valueKey(encoded, 'python') ?? `NaN#${index}`; // NaN equals nothing, so every one stays.
}

function isHashable(encoded: EncodedValue): boolean {
  if (encoded[0] === 'l' || encoded[0] === 'S' || encoded[0] === 'd') return false;
  return encoded[0] === 't' || encoded[0] === 'F' ? encoded[1].every(isHashable) : true;
}
