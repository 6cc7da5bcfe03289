import type { z } from 'zod';
import {
  frameworkKeys,
  Failure,
  runConfigSchema,
  upcastRunConfig,
  type RunConfig,
} from '../../contract/index.ts';

/** A configuration as it is written down: keys and values, not yet checked. */
export type ConfigTree = { [key: string]: unknown };

export const isTree = (value: unknown): value is ConfigTree =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * A configuration with keys laid over it, of this version's spelling or an earlier one's. Where the framework changes, only the
 * settings that both know are carried over.
 */
export function mergeConfigs(base: ConfigTree, over: ConfigTree): ConfigTree {
  const below = upcastRunConfig(base) as ConfigTree;
  const above = upcastRunConfig(over) as ConfigTree;
  const [before, after] = [below['framework'], above['framework']];
  const name = isTree(after) ? after['name'] : undefined;
  if (!isTree(before) || typeof name !== 'string' || name === before['name']) return mergeTrees(below, above);
  const known = frameworkKeys(name);
  const shared = Object.entries(before).filter(([key]) => known === null || known.has(key));
  return mergeTrees({ ...below, framework: Object.fromEntries(shared) }, above);
}

/** Deep merge of plain objects; later wins, arrays are replaced whole. */
function mergeTrees(base: ConfigTree, over: ConfigTree): ConfigTree {
  const result: ConfigTree = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const before = result[key];
    result[key] = isTree(before) && isTree(value) ? mergeTrees(before, value) : value;
  }
  return result;
}

/** @throws Failure `usage` (exit code 2) that names the first wrong key and what it accepts. */
export function checkedConfig(tree: ConfigTree): RunConfig {
  const result = runConfigSchema.safeParse(tree);
  if (result.success) return result.data;
  throw new Failure('usage', explain(result.error), 2);
}

/** The first problem as one sentence with its key path. */
function explain(error: z.ZodError): string {
  const issue = error.issues[0];
  if (issue === undefined) return 'The configuration is not valid.';
  const path = issue.path.join('.');
  if (issue.code === 'unrecognized_keys') {
    return `The configuration has an unknown key "${[path, issue.keys[0]].filter(Boolean).join('.')}"; run "anchor run --help" for the keys there are.`;
  }
  return `The configuration value "${path}" is not valid: ${issue.message.replace(/\.$/, '')}.`;
}

/** One key whose value is another than in `base`. */
export type ConfigDifference = { path: string[]; value: unknown };

/** The keys of `config` that differ from `base`, deepest first where both are sections; lists are compared whole. */
export function differencesFrom(
  base: ConfigTree,
  config: ConfigTree,
  path: string[] = [],
): ConfigDifference[] {
  return Object.entries(config).flatMap(([key, value]): ConfigDifference[] => {
    const before = base[key];
    const here = [...path, key];
    if (isTree(value) && isTree(before)) return differencesFrom(before, value, here);
    return value === undefined || JSON.stringify(value) === JSON.stringify(before)
      ? []
      : [{ path: here, value }];
  });
}
