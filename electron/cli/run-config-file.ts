import { parse } from 'yaml';
import { Failure, type RunConfig } from '../contract/index.ts';
import { readText } from '../core/index.ts';
import { checkedConfig, isTree, mergeConfigs, type ConfigTree as Tree } from '../plan/index.ts';

/** `train.learningRate=1e-3` as a tree; the value is read as YAML so that numbers, lists and null keep their type. */
function assignment(text: string): Tree {
  const at = text.indexOf('=');
  if (at < 1)
    throw new Failure(
      'usage',
      `--set takes key=value, for example --set train.learningRate=0.0002; "${text}" has no "=".`,
      2,
    );
  const path = text.slice(0, at).split('.');
  let tree: unknown;
  try {
    tree = parse(text.slice(at + 1));
  } catch (cause) {
    throw new Failure(
      'usage',
      `The value of --set ${text.slice(0, at)} is not valid YAML: ${(cause as Error).message.split('\n')[0]}.`,
      2,
      { cause },
    );
  }
  for (const key of path.toReversed()) tree = { [key]: tree };
  return tree as Tree;
}

/** Of a configuration or an imported one with all its texts. */
const MOST_BYTES = 16 * 1024 * 1024;

function readTree(file: string): Tree {
  let text: string;
  try {
    text = readText(file, MOST_BYTES);
  } catch (cause) {
    throw new Failure('usage', `The configuration file cannot be read. ${(cause as Error).message}`, 2, {
      cause,
    });
  }
  try {
    const tree: unknown = parse(text);
    if (isTree(tree)) return tree;
  } catch (cause) {
    throw new Failure(
      'usage',
      `The configuration file ${file} is not valid YAML: ${(cause as Error).message.split('\n')[0]}.`,
      2,
      { cause },
    );
  }
  throw new Failure(
    'usage',
    `The configuration file ${file} must hold keys and values, for example "steps: 24".`,
    2,
  );
}

/**
 * Builds a run's configuration: preset, then file, then --set in order.
 * @throws Failure `usage` (exit code 2) that names the first wrong key and what it accepts.
 */
export function buildRunConfig(preset: Tree, file: string | null, assignments: readonly string[]): RunConfig {
  let tree = file === null ? preset : mergeConfigs(preset, readTree(file));
  for (const text of assignments) tree = mergeConfigs(tree, assignment(text));
  return checkedConfig(tree);
}
