import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { z } from 'zod';
import { Failure, runConfigSchema, type RunConfig } from '../contract/index.ts';

type Tree = { [key: string]: unknown };

/** Deep merge of plain objects; later wins, arrays are replaced whole. */
function merge(base: Tree, over: Tree): Tree {
  const result: Tree = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const before = result[key];
    result[key] = isTree(before) && isTree(value) ? merge(before, value) : value;
  }
  return result;
}

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value);

/** `train.learningRate=1e-3` as a tree; the value is read as YAML so that numbers, lists and null keep their type. */
function assignment(text: string): Tree {
  const at = text.indexOf('=');
  if (at < 1) throw new Failure('usage', `--set takes key=value, for example --set train.learningRate=0.0002; "${text}" has no "=".`, 2);
  const path = text.slice(0, at).split('.');
  let tree: unknown;
  try {
    tree = parse(text.slice(at + 1));
  } catch (cause) {
    throw new Failure('usage', `The value of --set ${text.slice(0, at)} is not valid YAML: ${(cause as Error).message.split('\n')[0]}.`, 2, { cause });
  }
  for (const key of path.toReversed()) tree = { [key]: tree };
  return tree as Tree;
}

function readTree(file: string): Tree {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new Failure('usage', `The configuration file ${file} could not be read; check the path.`, 2, { cause });
  }
  try {
    const tree: unknown = parse(text);
    if (isTree(tree)) return tree;
  } catch (cause) {
    throw new Failure('usage', `The configuration file ${file} is not valid YAML: ${(cause as Error).message.split('\n')[0]}.`, 2, { cause });
  }
  throw new Failure('usage', `The configuration file ${file} must hold keys and values, for example "steps: 24".`, 2);
}

/**
 * Builds a run's configuration: preset, then file, then --set in order.
 * @throws Failure `usage` (exit code 2) that names the first wrong key and what it accepts.
 */
export function buildRunConfig(preset: Tree, file: string | null, assignments: readonly string[]): RunConfig {
  let tree = file === null ? preset : merge(preset, readTree(file));
  for (const text of assignments) tree = merge(tree, assignment(text));
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
