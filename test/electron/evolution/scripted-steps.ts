import { join } from 'node:path';
import type {
  ContextRecord,
  RewardedPrompt,
  RunConfig,
  StepCommit,
  TaskRecord,
} from '../../../electron/contract/index.ts';
import { sha256Hex, shuffle } from '../../../electron/core/index.ts';
import { evolveStep, frameworkOf, initialHash, type RunState } from '../../../electron/evolution/index.ts';
import type { StepContext } from '../../../electron/evolution/loop/run-state.ts';
import { loadGuidance, loadPromptPack, type PromptPack } from '../../../electron/library/index.ts';
import type { WeightSet } from '../../../electron/models/index.ts';
import type { GenerateItem, Rollout, RunnerClient } from '../../../electron/processes/index.ts';
import { firstContext, type Reviewer } from '../../../electron/supervision/index.ts';

const prompts = join(import.meta.dirname, '../../../resources/prompts');
export const packOf = (name: 'compact' | 'instruct'): PromptPack => loadPromptPack(join(prompts, name), name);
export const GUIDANCE = loadGuidance(join(prompts, 'compact'));

/** What scripted weights are asked. `role` names them; `user` and `system` are the two messages. */
export type Asked = { role: string; system: string; user: string; seed: number; index: number };
export type Script = (asked: Asked) => string;

type Call = { role: string; opKey: string; items: GenerateItem[]; sampling: unknown };
type Update = {
  role: string;
  items: number;
  beginsStage: boolean;
  advantages: { rolloutId: string; advantage: number }[];
};
export type Log = { generated: Call[]; updates: Update[] };

/** What is asked last, and how its answer was begun. */
const textOf = (item: GenerateItem): { system: string; user: string; opening: string } => {
  const messages = 'messages' in item ? item.messages : [];
  const of = (role: string): string => messages.findLast((one) => one.role === role)?.content ?? '';
  return {
    system: of('system'),
    user: of('user'),
    opening: messages.at(-1)?.role === 'assistant' ? of('assistant') : '',
  };
};

/** What a script's text comes to behind a beginning that stands there already. */
const behind = (text: string, opening: string): string =>
  opening !== '' && text.includes(opening) ? text.slice(text.indexOf(opening) + opening.length) : text;

const hashOfWeights = (role: string, version: number): string => sha256Hex(`${role} ${version}`);

/** Weights whose answers a script writes; they arrive in an order of their own. A word of the user's is a token of the prompt. */
function scriptedWeights(role: string, script: Script, log: Log, order: number): WeightSet {
  let version = 0;
  return {
    get version() {
      return version;
    },
    movedSeconds: 0,
    countTokens: async (items: readonly unknown[]) => items.map(() => 10),
    async generate(
      opKey: string,
      items: GenerateItem[],
      sampling: unknown,
      _signal: AbortSignal,
      onRollout: (rollout: Rollout) => void,
    ) {
      log.generated.push({ role, opKey, items, sampling });
      const rollouts = items.flatMap((item) => {
        const { system, user, opening } = textOf(item);
        return Array.from({ length: item.n ?? 1 }, (_, index): Rollout => {
          const text = behind(script({ role, user, system, seed: item.seed, index }), opening);
          return {
            rolloutId: `${opKey}/${item.key}/${index}`,
            key: item.key,
            index,
            text,
            finish: text === '' ? 'length' : 'stop',
            promptTokens: 10 + user.split(/\s+/).length,
            newTokens: 1 + text.length,
            logpSum: -1,
            logpMean: -0.1,
            entropyMean: 0.1,
            version,
            ms: 1,
          };
        });
      });
      for (const rollout of shuffle(rollouts, order, 'arrival', opKey)) {
        onRollout(rollout);
        await Promise.resolve();
      }
      return rollouts;
    },
    async update(_opId: string, items: Update['advantages'], beginsStage = false) {
      log.updates.push({ role, items: items.length, beginsStage, advantages: items });
      version += 1;
      return {
        version,
        entropy: 1,
        gradNorm: [1],
        loss: [0],
        clip: { high: 0, low: 0 },
        ratio: { max: 1 },
        mismatch: {},
        skipped: [],
        optimizerSteps: 1,
      };
    },
    save: async () => ({ weightsSha256: hashOfWeights(role, version), bytes: 0, files: [] }),
  } as unknown as WeightSet;
}

export type Taken = { config: RunConfig; commits: StepCommit[]; log: Log; contexts: string[] };
export type Setting = {
  pack: PromptPack;
  script: Script;
  /** Programs are run by it; absent where no task is one. */
  runner?: Partial<RunnerClient>;
  same?: (a: string, b: string) => boolean;
  reviewer?: Reviewer | null;
  rewardedPrompts?: readonly RewardedPrompt[];
  /** Tasks of step 0. */
  tasks?: readonly TaskRecord[];
  /** Names the order in which responses arrive. */
  order?: number;
  /** Told before the first step, and of each step. */
  onBegun?: (begun: { context: ContextRecord; weightsSha256: string }) => void;
  onCommit?: (commit: StepCommit) => void;
};

/** Takes the steps of a run one after another as the engine does, from the state that each commit leaves, without any process. */
export async function takeSteps(
  config: RunConfig,
  steps: number,
  {
    pack,
    script,
    runner = {},
    same = (a, b) => a.trim() === b.trim(),
    reviewer = null,
    rewardedPrompts = [],
    tasks = [],
    order = 1,
    onBegun,
    onCommit,
  }: Setting,
): Promise<Taken> {
  const framework = frameworkOf(config.framework);
  const log: Log = { generated: [], updates: [] };
  const sets = new Map<string, WeightSet>();
  let state = framework.begin(config, tasks);
  const context = await firstContext({
    config: config.supervision,
    vocabulary: GUIDANCE,
    pack,
    countTokens: () => 10,
  });
  const weightsSha256 = hashOfWeights(framework.roles(config.framework)[0], 0);
  const previousHash = initialHash(config, context.hash, { weightsSha256, supervisorSha256: null, tasks });
  onBegun?.({ context, weightsSha256 });
  const run: RunState = { config, step: 1, context, state, previousHash };
  const env: StepContext = {
    weights: (role: string) => {
      const known = sets.get(role) ?? scriptedWeights(role, script, log, order);
      sets.set(role, known);
      return known;
    },
    runner,
    answers: {
      same: async (a: string, b: string) => same(a, b),
      setAside: { timeouts: 0, lost: 0 },
    },
    reviewer,
    pack,
    guidance: GUIDANCE,
    rewardedPrompts,
    clock: { now: () => new Date(0), monotonicMs: () => 0 },
    signal: new AbortController().signal,
    checkpointFolder: (step: number) => `step-${step}`,
    onProgress: () => {},
    onRollout: () => {},
    onReview: () => {},
  } as unknown as StepContext;
  const commits: StepCommit[] = [];
  const contexts: string[] = [];
  for (let step = 1; step <= steps; step += 1) {
    const commit = await evolveStep(framework, { ...run, state }, env);
    commits.push(commit);
    onCommit?.(commit);
    contexts.push(run.context.hash);
    state = framework.fold(state, { step, tasks: commit.tasks });
    run.step = step + 1;
    run.context = commit.nextContext;
    run.previousHash = commit.step.stepHash;
  }
  return { config, commits, log, contexts };
}
