import { createHash } from 'node:crypto';

/**
 * JSON text that is the same for equal data: object keys sorted by UTF-16 code unit, no white space, `-0` written as `0`.
 * Hashes of records and of the event chain are taken over this text, so anything JSON would silently drop or change
 * (undefined, NaN, infinities, bigints, functions, Dates, Maps) throws instead.
 */
export function canonicalJson(value: unknown): string {
  return write(value, '$');
}

function write(value: unknown, path: string): string {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return JSON.stringify(value);
    case 'number':
      if (!Number.isFinite(value))
        throw new TypeError(
          `Canonical JSON cannot hold ${value} at ${path}; store null or leave the field out.`,
        );
      return JSON.stringify(value);
    case 'object':
      return value === null
        ? 'null'
        : Array.isArray(value)
          ? writeArray(value, path)
          : writeObject(value, path);
    default:
      throw new TypeError(
        `Canonical JSON cannot hold a ${typeof value} at ${path}; only null, booleans, finite numbers, text, arrays and plain objects are data.`,
      );
  }
}

function writeArray(items: readonly unknown[], path: string): string {
  // Array.from turns holes into undefined, which is then refused like any other undefined.
  return `[${Array.from(items, (item, index) => write(item, `${path}[${index}]`)).join(',')}]`;
}

function writeObject(value: object, path: string): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw new TypeError(
      `Canonical JSON cannot hold a ${value.constructor?.name ?? 'special'} object at ${path}; convert it to plain data first.`,
    );
  }
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${write(item, `${path}.${key}`)}`).join(',')}}`;
}

/** Lower-case hexadecimal SHA-256 of text (as UTF-8) or bytes. */
export function sha256Hex(data: string | Uint8Array): string {
  return createHash('sha256')
    .update(typeof data === 'string' ? Buffer.from(data, 'utf8') : data)
    .digest('hex');
}
