import type { z } from 'zod';
import { isScalar, parseDocument, stringify } from 'yaml';
import { runConfigSchema, type RunConfig, frameworkKeys, upcastRunConfig } from '../contract/index.ts';
import { isPresetName, PRESETS } from '../evolution/index.ts';
import { explainFaults, type LineOf, linesOf, valueIn } from './config-faults.ts';
import { readDocument, requirePlain, usage } from './read-yaml.ts';

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

/** @throws Failure `usage` (exit code 2) for text that is no YAML or no configuration, naming all that is wrong with their lines. */
export function configFromYaml(text: string): RunConfig {
  const { tree, lineOf } = treeFromYaml(text, 'The text');
  return checkedConfig(tree, lineOf);
}

/**
 * A configuration as it is written in a file, and where each of its keys stands there.
 * @throws Failure `usage` (exit code 2), as `parseYaml`, and where there are no keys.
 */
export function treeFromYaml(text: string, what: string): { tree: ConfigTree; lineOf: LineOf } {
  const { document, value, lines } = readDocument(text, what);
  if (isTree(value)) return { tree: value, lineOf: linesOf(document, lines) };
  throw usage(`${what} must hold keys and values, for example "steps: 24".`);
}

/** The command that starts this very run, for a POSIX shell: the nearest preset and every key that differs from it. */
export function commandOf(config: RunConfig): string {
  const preset = isPresetName(config.preset) ? config.preset : 'demo';
  const base = runConfigSchema.parse(PRESETS[preset]);
  // A run without this key asks; where the preset does not, that has to be said.
  const nothingToCompare =
    config.supervision.nothingToCompare ?? (base.supervision.nothingToCompare && 'ask');
  const said = { ...config, supervision: { ...config.supervision, nothingToCompare } };
  const settings = differencesFrom(base, said).map(
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
  const { errors, contents } = parseDocument(text);
  return errors.length === 0 && isScalar(contents) && contents.value === text;
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

/** Deep merge of plain objects; later wins, arrays are replaced whole. Whatever a key is called, it stays a key. */
function mergeTrees(base: ConfigTree, over: ConfigTree): ConfigTree {
  const merged = Object.entries(over).map(([key, value]) => {
    const before = Object.hasOwn(base, key) ? base[key] : undefined;
    return [key, isTree(before) && isTree(value) ? mergeTrees(before, value) : value];
  });
  return { ...base, ...(Object.fromEntries(merged) as ConfigTree) };
}

/**
 * Reads a configuration whose every value is checked. What it has to say and does not, such as four of five probabilities, is that of the
 * preset it names, else the default.
 * @param lineOf where a key stands in the file that was read; null for one that was given elsewhere.
 * @throws Failure `usage` (exit code 2) that names everything that is wrong, with its line, and what it accepts.
 */
export function checkedConfig(tree: ConfigTree, lineOf: LineOf = () => null): RunConfig {
  requirePlain(tree, 'The configuration');
  const today = upcastRunConfig(tree) as ConfigTree;
  const read = runConfigSchema.safeParse(today);
  if (read.success) return read.data;
  const whole = completed(today, read.error.issues);
  const again = whole === today ? read : runConfigSchema.safeParse(whole);
  if (again.success) return again.data;
  throw usage(explainFaults(again.error.issues, whole, lineOf));
}

/** With the values that the schema misses and the preset has. What is said stays as it is, right or wrong. */
function completed(tree: ConfigTree, issues: readonly z.core.$ZodIssue[]): ConfigTree {
  const missing = issues.filter(({ path }) => valueIn(tree, path) === undefined);
  if (missing.length === 0) return tree;
  const preset = String(tree['preset']);
  const base = runConfigSchema.parse(isPresetName(preset) ? PRESETS[preset] : {});
  const whole = structuredClone(tree);
  for (const { path } of missing) {
    const own = valueIn(base, path);
    if (own !== undefined) place(whole, path.map(String), own);
  }
  return whole;
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
