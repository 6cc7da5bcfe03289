import type { z } from 'zod';
import { parse, stringify } from 'yaml';
import {
  Failure,
  runConfigSchema,
  type RunConfig,
  frameworkKeys,
  upcastRunConfig,
} from '../contract/index.ts';
import { isPresetName, PRESETS } from '../evolution/index.ts';

/** Keys a file always names, so that a reader sees what it is about. */
const ALWAYS_WRITTEN = ['name', 'preset', 'seed', 'steps'] as const;

/** A configuration as a file that `anchor run --config` reads back to the same: what differs from the defaults, as YAML. */
export function configToYaml(config: RunConfig): string {
  const tree: ConfigTree = Object.fromEntries(ALWAYS_WRITTEN.map((key) => [key, config[key]]));
  for (const { path, value } of differencesFrom(runConfigSchema.parse({}), config)) place(tree, path, value);
  // The five probabilities have no defaults one by one, and a reader wants to see them together.
  if (isTree(tree['supervision']) && 'phases' in tree['supervision'])
    tree['supervision']['phases'] = config.supervision.phases;
  return stringify(tree, { lineWidth: 120 });
}

function place(tree: ConfigTree, path: readonly string[], value: unknown): void {
  let section = tree;
  for (const key of path.slice(0, -1)) section = (section[key] ??= {}) as ConfigTree;
  section[path.at(-1) as string] = value;
}

/** @throws Failure `usage` (exit code 2) for text that is no YAML or no configuration, naming the first fault. */
export function configFromYaml(text: string): RunConfig {
  let tree: unknown;
  try {
    tree = parse(text);
  } catch (cause) {
    throw new Failure(
      'usage',
      `The text is not valid YAML: ${(cause as Error).message.split('\n')[0]?.replace(/:$/, '')}.`,
      2,
      { cause },
    );
  }
  if (!isTree(tree))
    throw new Failure('usage', 'The file must hold keys and values, for example "steps: 24".', 2);
  return checkedConfig(tree);
}

/** The command that starts this very run, for a POSIX shell: the nearest preset and every key that differs from it. */
export function commandOf(config: RunConfig): string {
  const preset = isPresetName(config.preset) ? config.preset : 'demo';
  const base = runConfigSchema.parse(PRESETS[preset]);
  const settings = differencesFrom(base, config).map(
    ({ path, value }) => ` --set ${shellWord(`${path.join('.')}=${yamlValue(value)}`)}`,
  );
  return `anchor run --preset ${preset}${settings.join('')}`;
}

/** JSON is YAML; text stays bare where that reads back as the same text. */
function yamlValue(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  const bare = /^[\w./@%+-][\w ./@%+,()-]*$/.test(value) && value.trim() === value && readsBack(value);
  return bare ? value : JSON.stringify(value);
}

function readsBack(text: string): boolean {
  try {
    return parse(text) === text;
  } catch {
    return false;
  }
}

function shellWord(text: string): string {
  return /^[\w./=:,@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

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
