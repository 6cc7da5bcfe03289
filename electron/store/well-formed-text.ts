/**
 * The same data with every lone surrogate replaced by U+FFFD. Model text cut in the middle of a character can hold one; SQLite
 * stores UTF-8, where none exists, so the hash taken before storing would differ from the hash of what is read back.
 * Returns the value itself when nothing had to change.
 */
export function wellFormed<T>(value: T): T {
  if (typeof value === 'string') return (value.isWellFormed() ? value : value.toWellFormed()) as T;
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => wellFormed(item));
    return (items.every((item, index) => item === value[index]) ? value : items) as T;
  }
  if (value !== null && typeof value === 'object') {
    const entries = Object.entries(value).map(
      ([key, item]) => [wellFormed(key), wellFormed(item), item] as const,
    );
    const same = entries.every(([key, item, before]) => item === before && key.isWellFormed());
    return (same ? value : Object.fromEntries(entries.map(([key, item]) => [key, item]))) as T;
  }
  return value;
}
