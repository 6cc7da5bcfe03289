import { createHash } from 'node:crypto';

/**
 * JSON text that is the same for equal data: object keys sorted by UTF-16 code unit, no white space, `-0` written as `0`.
 * Hashes of records and of the event chain are taken over this text, so anything JSON would silently drop or change
 * (undefined, NaN, infinities, bigints, functions, Dates, Maps) throws instead.
 */
export function canonicalJson(value: unknown): string {
  return write(value, []);
}

/** `path`: the keys and places that lead to the value, kept as they are so that text is made of them for an error alone. */
function write(value: unknown, path: (string | number)[]): string {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return JSON.stringify(value);
    case 'number':
      if (!Number.isFinite(value))
        throw new TypeError(
          `Canonical JSON cannot hold ${value} at ${textOf(path)}; store null or leave the field out.`,
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
        `Canonical JSON cannot hold a ${typeof value} at ${textOf(path)}; only null, booleans, finite numbers, text, arrays and plain objects are data.`,
      );
  }
}

const textOf = (path: readonly (string | number)[]): string =>
  path.reduce<string>((text, at) => text + (typeof at === 'number' ? `[${at}]` : `.${at}`), '$');

function writeArray(items: readonly unknown[], path: (string | number)[]): string {
  let text = '';
  // By index, so that a hole is an undefined item, which is refused like any other.
  for (let index = 0; index < items.length; index += 1) {
    path.push(index);
    text += `${index === 0 ? '' : ','}${write(items[index], path)}`;
    path.pop();
  }
  return `[${text}]`;
}

function writeObject(value: object, path: (string | number)[]): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw new TypeError(
      `Canonical JSON cannot hold a ${value.constructor?.name ?? 'special'} object at ${textOf(path)}; convert it to plain data first.`,
    );
  }
  let text = '';
  for (const key of Object.keys(value).sort()) {
    path.push(key);
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${write((value as Record<string, unknown>)[key], path)}`;
    path.pop();
  }
  return `{${text}}`;
}

/** Lower-case hexadecimal SHA-256 of text (as UTF-8) or bytes. */
export function sha256Hex(data: string | Uint8Array): string {
  return createHash('sha256')
    .update(typeof data === 'string' ? Buffer.from(data, 'utf8') : data)
    .digest('hex');
}
