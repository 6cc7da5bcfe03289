/** A configuration being written: keys and values, right or wrong. */
export type Tree = { [key: string]: unknown };

const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value at a path such as `train.learningRate`; undefined where there is none. */
export function valueAt(tree: Tree, path: string): unknown {
  let value: unknown = tree;
  for (const key of path.split('.')) value = isTree(value) ? value[key] : undefined;
  return value;
}

/** The tree with another value at a path; nothing else is copied. `undefined` takes the key away. */
export function withValue(tree: Tree, path: string, value: unknown): Tree {
  const [key = '', ...rest] = path.split('.');
  if (rest.length > 0)
    return { ...tree, [key]: withValue(isTree(tree[key]) ? tree[key] : {}, rest.join('.'), value) };
  const { [key]: _, ...others } = tree;
  return value === undefined ? others : { ...tree, [key]: value };
}

export const sameValue = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Paths at which two trees differ; lists are compared whole. */
export function changedPaths(base: Tree, tree: Tree, prefix = ''): string[] {
  const keys = [...new Set([...Object.keys(base), ...Object.keys(tree)])];
  return keys.flatMap((key) => {
    const [before, after] = [base[key], tree[key]];
    const path = `${prefix}${key}`;
    // What was added as a whole is told part by part; what was taken away has nothing left to tell.
    if (isTree(after) && (isTree(before) || before == null))
      return changedPaths(before ?? {}, after, `${path}.`);
    return sameValue(before, after) ? [] : [path];
  });
}
