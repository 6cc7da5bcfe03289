import { LEAF_BY_PATH } from './schema-tree.ts';
import { valueAt, type Tree } from './tree.ts';

/** What a plan began with at a path. Inside a group that was not there at first it is the schema's own value. */
export function baseValue(base: Tree, path: string): unknown {
  const parent = path.slice(0, Math.max(0, path.lastIndexOf('.')));
  return parent !== '' && valueAt(base, parent) == null
    ? LEAF_BY_PATH.get(path)?.fallback
    : valueAt(base, path);
}
