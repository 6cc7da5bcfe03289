import { join } from 'node:path';
import {
  runConfigSchema,
  type RunConfig,
  type RunConfigInput,
  type StepCommit,
  type TaskRecord,
} from '../../../../electron/contract/index.ts';
import { sha256Hex, shuffle, uniformIndex } from '../../../../electron/core/index.ts';
import { evolveStep, frameworkOf, type RunState } from '../../../../electron/evolution/index.ts';
import type { StepContext } from '../../../../electron/evolution/loop/run-state.ts';
import { loadGuidance, loadPromptPack } from '../../../../electron/library/index.ts';
import type { WeightSet } from '../../../../electron/models/index.ts';
import type { GenerateItem, Rollout } from '../../../../electron/processes/index.ts';
import { initialContext, type Reviewer } from '../../../../electron/supervision/index.ts';

const prompts = join(import.meta.dirname, '../../../../resources/prompts');

/** What a scripted model is asked: the question it is to answer, or null where it is to ask one itself. */
export type Asked = { role: string; question: string | null; system: string; seed: number; index: number };
export type Script = (asked: Asked) => string;

/** A sum that differs with the seed, in the form that was asked for. */
export const asksSums: Script = ({ question, seed, index }) => {
  const draw = (most: number, of: string): number => uniformIndex(most, seed, of, index);
  if (question === null) {
    const [a, b] = [draw(40, 'a'), draw(40, 'b')];
    return `Sums are dull.\n<question>What is ${a} + ${b}, plus ${draw(9, 'c')}?</question>\n\\boxed{${a + b}}`;
  }
  const sum = [...question.matchAll(/\d+/g)].reduce((total, [number]) => total + Number(number), 0);
  const slip = draw(2, 'slip');
  return `I add the numbers one by one. Then I look again.\nsum = ${sum + slip}\nSo it is \\boxed{${sum + slip}}.`;
};

type Call = { role: string; opKey: string; items: GenerateItem[]; sampling: unknown };
export type Log = { generated: Call[]; updates: { role: string; items: number; beginsStage: boolean }[] };

const textOf = (item: GenerateItem): { system: string; user: string } => {
  const messages = 'messages' in item ? item.messages : [];
  const of = (role: string): string => messages.find((one) => one.role === role)?.content ?? '';
  return { system: of('system'), user: of('user') };
};

/** Weights whose answers a script writes; they arrive in an order of their own. */
function scriptedWeights(role: string, script: Script, log: Log, order: number): WeightSet {
  let version = 0;
  return {
    get version() {
      return version;
    },
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
        const { system, user } = textOf(item);
        const question = user.startsWith('Ask one new question') ? null : (user.split('\n\n')[0] as string);
        return Array.from({ length: item.n ?? 1 }, (_, index): Rollout => {
          const text = script({ role, question, system, seed: item.seed, index });
          return {
            rolloutId: `${opKey}/${item.key}/${index}`,
            key: item.key,
            index,
            text,
            finish: text === '' ? 'length' : 'stop',
            promptTokens: 10,
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
    async update(_opId: string, items: readonly unknown[], beginsStage = false) {
      log.updates.push({ role, items: items.length, beginsStage });
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
    save: async () => ({ weightsSha256: sha256Hex(`${role} ${version}`), bytes: 1, files: [] }),
  } as unknown as WeightSet;
}

/** Sizes at which every stage has something to do. */
export const SMALL: RunConfigInput = {
  policy: { promptPack: 'instruct' },
  framework: {
    name: 'rzero',
    challenge: { steps: 2, prompts: 2, samples: 4 },
    vote: { samples: 4 },
    pose: { questions: 24, perStep: 16 },
    label: { samples: 5 },
    solve: { steps: 2, prompts: 4, samples: 3 },
  },
};

export type Taken = { config: RunConfig; commits: StepCommit[]; log: Log; contexts: string[] };

/** Takes the steps of a run one after another as the engine does, from the state that each commit leaves. */
export async function takeSteps(
  input: RunConfigInput,
  steps: number,
  {
    script = asksSums,
    same = (a: string, b: string) => a.trim() === b.trim(),
    reviewer = null,
    order = 1,
  }: {
    script?: Script;
    same?: (a: string, b: string) => boolean;
    reviewer?: Reviewer | null;
    order?: number;
  } = {},
): Promise<Taken> {
  const config = runConfigSchema.parse({ ...SMALL, ...input });
  const framework = frameworkOf(config.framework);
  const log: Log = { generated: [], updates: [] };
  const sets = new Map<string, WeightSet>();
  const pack = loadPromptPack(join(prompts, 'instruct'), 'instruct');
  const tasks: TaskRecord[] = [];
  let state = framework.begin(config, tasks);
  const run: RunState = { config, step: 1, context: initialContext(), state, previousHash: sha256Hex('') };
  const env: StepContext = {
    weights: (role: string) => {
      const known = sets.get(role) ?? scriptedWeights(role, script, log, order);
      sets.set(role, known);
      return known;
    },
    runner: {},
    answers: {
      same: async (a: string, b: string) => same(a, b),
      setAside: { timeouts: 0, lost: 0 },
    },
    reviewer,
    pack,
    guidance: loadGuidance(join(prompts, 'compact')),
    rewardedPrompts: [],
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
    contexts.push(run.context.hash);
    state = framework.fold(state, { step, tasks: commit.tasks });
    run.step = step + 1;
    run.context = commit.nextContext;
    run.previousHash = commit.step.stepHash;
  }
  return { config, commits, log, contexts };
}
