import { Failure, type RunConfig } from '../contract/index.ts';
import { quotable, readText, shownPath } from '../core/index.ts';
import {
  checkedConfig,
  mergeConfigs,
  parseYaml,
  treeFromYaml,
  type ConfigTree as Tree,
} from '../plan/index.ts';

/** `train.learningRate=1e-3` as a tree; the value is read as YAML so that numbers, lists and null keep their type. */
function assignment(text: string): Tree {
  const at = text.indexOf('=');
  if (at < 1)
    throw new Failure(
      'usage',
      `--set takes key=value, for example --set train.learningRate=0.0002; "${quotable(text)}" has no "=".`,
      2,
    );
  const key = text.slice(0, at);
  const value = parseYaml(text.slice(at + 1), `The value of --set ${quotable(key)}`);
  return key.split('.').reduceRight<unknown>((tree, part) => ({ [part]: tree }), value) as Tree;
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
  return treeFromYaml(text, `The configuration file ${shownPath(file)}`);
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
