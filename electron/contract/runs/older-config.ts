import {
  DEFAULT_FRAMEWORK,
  frameworkKeys,
  azrConfigSchema,
  type FrameworkConfig,
} from '../frameworks/index.ts';
import { samplesApart, type GenerationConfig } from '../generation.ts';

type Tree = { readonly [key: string]: unknown };
const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Settings of generation that stood in the section `azr`, which all frameworks shared, before 2026-12. */
const GENERATION_KEYS: ReadonlySet<string> = new Set([
  'temperature',
  'topP',
  'maxPromptTokens',
  'maxNewTokens',
]);

/**
 * Reads the spelling of earlier versions: `framework` a name, its settings in `frameworkSettings` and in `azr`, generation in
 * `azr` too, rewarded prompts in `pressure`; and `supervision.merge=rule`. Takes whole configurations and single keys alike, so that stored runs, files and
 * `--set azr.batchSize=8` stay readable; what is spelled as today passes unchanged.
 */
export function upcastRunConfig(tree: unknown): unknown {
  return isTree(tree) ? upcastFramework(upcastRewardedPrompts(upcastMerge(tree))) : tree;
}

/** The section `rewardedPrompts` was called `pressure` before 2026-12. */
function upcastRewardedPrompts(tree: Tree): Tree {
  const { pressure, ...rest } = tree;
  if (!isTree(pressure)) return tree;
  const today = rest['rewardedPrompts'];
  return { ...rest, rewardedPrompts: { ...pressure, ...(isTree(today) ? today : {}) } };
}

/** The other of two ways to make the next context, as `summary` spells it; of the two rules there are, the one that holds by itself. */
function upcastMerge(tree: Tree): Tree {
  const { supervision } = tree;
  if (!isTree(supervision) || supervision['merge'] !== 'rule') return tree;
  return { ...tree, supervision: { ...supervision, merge: 'guidance' } };
}

function upcastFramework(tree: Tree): Tree {
  const { azr, frameworkSettings, framework, ...rest } = tree;
  const isOlder = isTree(azr) || isTree(frameworkSettings) || typeof framework === 'string';
  if (!isOlder) return tree;
  const name = typeof framework === 'string' ? framework : isTree(framework) ? framework['name'] : undefined;
  const known = typeof name === 'string' ? frameworkKeys(name) : null;
  const shared = Object.entries(isTree(azr) ? azr : {});
  const settings = {
    ...(isTree(framework) ? framework : {}),
    ...(name === undefined ? {} : { name }),
    // A framework without a proposer had the proposer's settings as well; nothing read them.
    ...Object.fromEntries(
      shared.filter(
        ([key]) => !GENERATION_KEYS.has(key) && (known === null || known.has(key) || !isOfAny(key)),
      ),
    ),
    ...(isTree(frameworkSettings) ? frameworkSettings : {}),
  };
  const generation = Object.fromEntries(shared.filter(([key]) => GENERATION_KEYS.has(key)));
  return {
    ...rest,
    ...(Object.keys(settings).length === 0 ? {} : { framework: settings }),
    ...(Object.keys(generation).length === 0
      ? {}
      : { generation: { ...(isTree(rest['generation']) ? rest['generation'] : {}), ...generation } }),
  };
}

/** A misspelt key belongs to no framework and must be refused by the one that is chosen. */
const isOfAny = (key: string): boolean => Object.hasOwn(azrConfigSchema.shape, key);

/** A whole configuration in today's spelling: settings of a framework without a name are the default framework's. */
export function wholeRunConfig(tree: unknown): unknown {
  const today = upcastRunConfig(tree);
  if (!isTree(today) || !isTree(today['framework']) || 'name' in today['framework']) return today;
  return { ...today, framework: { name: DEFAULT_FRAMEWORK, ...today['framework'] } };
}

/** `framework` is a name in the shape of the first versions, and a section since. */
type HashView = Tree & { framework: string | FrameworkConfig; frameworkSettings?: object };

/**
 * The configuration in the shape that the first hash of a run sees. Runs of the frameworks that existed before their settings
 * were told apart keep the hashes they had: the section `azr` whole, with its defaults where a framework has no such setting.
 * Rewarded prompts stand in the section `pressure`, as they first did.
 */
export function hashView<Rest>({
  framework,
  generation: { roles, ...sampling },
  rewardedPrompts,
  ...others
}: Rest & { framework: FrameworkConfig; generation: GenerationConfig; rewardedPrompts?: object }): HashView {
  const rest = { ...others, ...(rewardedPrompts === undefined ? {} : { pressure: rewardedPrompts }) };
  // Roles with nothing of their own say what their absence says.
  const generation = samplesApart({ roles }) ? { ...sampling, roles } : sampling;
  if (!isOfFirstVersions(framework)) return { ...rest, framework, generation };
  const { name, ...settings } = framework;
  const own = Object.entries(settings).filter(([key, value]) => !isOfAny(key) && value !== undefined);
  const { name: _, ...azr } = azrConfigSchema.parse({
    name: 'azr',
    ...Object.fromEntries(Object.entries(settings).filter(([key]) => isOfAny(key))),
  });
  return {
    ...rest,
    framework: name,
    azr: { ...azr, ...generation },
    ...(own.length === 0 ? {} : { frameworkSettings: Object.fromEntries(own) }),
  };
}

const isOfFirstVersions = ({ name }: FrameworkConfig): boolean => name === 'azr' || name === 'fixed-tasks';
