import { parse, stringify } from 'yaml';
import { Failure, runConfigSchema, type RunConfig } from '../../contract/index.ts';
import { isPresetName, PRESETS } from '../../evolution/index.ts';
import { checkedConfig, differencesFrom, isTree, type ConfigTree } from './config-tree.ts';

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
