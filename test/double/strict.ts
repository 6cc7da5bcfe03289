/** Access to anything that is not modelled throws: a stand-in that silently does nothing would hide a fault. */
export function strict<T extends object>(name: string, modelled: T): T {
  return new Proxy(modelled, {
    get: (target, key) => {
      if (key in target || typeof key === 'symbol' || key === 'then') {
        const value: unknown = Reflect.get(target, key);
        return typeof value === 'function' ? value.bind(target) : value;
      }
      throw new Error(`stand-in for Electron: ${name}.${key} is not modelled`);
    },
  });
}

/** An event whose default can be prevented, and whether it was. */
export function preventable<T extends object>(
  fields: T,
): { event: T & { preventDefault(): void; defaultPrevented: boolean }; wasPrevented: () => boolean } {
  let prevented = false;
  const event = Object.defineProperty(
    {
      ...fields,
      preventDefault: () => {
        prevented = true;
      },
    },
    'defaultPrevented',
    { get: () => prevented, enumerable: true },
  );
  return {
    event: event as T & { preventDefault(): void; defaultPrevented: boolean },
    wasPrevented: () => prevented,
  };
}

/** Values cross between processes by structured clone; functions and handles throw as they do in Electron. */
export const cloned = <T>(value: T): T => structuredClone(value);
