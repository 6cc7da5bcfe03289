import { Failure, type RunConfig, type RunConfigInput, type RunRecord } from '../../contract/index.ts';
import { quotable, readText, shownPath } from '../../core/index.ts';
import { isPresetName, PRESET_NAMES, PRESETS } from '../../evolution/index.ts';
import {
  checkedConfig,
  mergeConfigs,
  parseYaml,
  treeFromYaml,
  type ConfigTree as Tree,
} from '../../plan/index.ts';
import { wholeNumber, type Program } from '../program.ts';
import type { WorkingEngine } from '../engine-elsewhere.ts';
import { watchRuns } from '../progress.ts';

/** Other terminals may ask for more while a run is watched. */
const SERVES = { serves: true };

type RunOptions = { config?: string; preset?: string; set: string[] };

/** `anchor run` and `anchor resume`. */
export function addRun(program: Program): void {
  program.command
    .command('run')
    .description(
      'Start a supervised self-evolution run and watch it until it ends. Ctrl-C stops it; "anchor resume" continues it.',
    )
    .option('--config <file>', 'YAML file with configuration keys; they override the preset')
    .option(
      '--preset <name>',
      `starting point: ${PRESET_NAMES.join(', ')} (default: demo without --config, the schema's own defaults with it)`,
    )
    .option(
      '--set <key=value>',
      'override one key, for example --set train.learningRate=0.0001 (repeatable)',
      (value: string, all: string[]) => [...all, value],
      [],
    )
    .addHelpText(
      'after',
      `
Examples:
  anchor run --preset demo --set steps=8 --set supervision.phases.exec=1
  anchor run --preset workstation --set policy.model=/models/Qwen2.5-Coder-3B --set supervision.model=/models/judge.gguf

Keys are those of the run schema: name, seed, steps, framework.*, generation.*, policy.*, train.*, rewardedPrompts.*, supervision.*, sandbox.*, checkpoints.*.
A wrong key or value is refused with the sentence that says what it accepts.`,
    )
    .action(async (options: RunOptions) => {
      const config = buildRunConfig(startingPoint(options), options.config ?? null, options.set);
      await program.withAnyEngine(async (engine, signal) => {
        const run = await engine.startRun(config);
        program.say(
          `Run ${run.id}: ${config.steps} steps with ${config.policy.model}, seed ${config.seed}${absentPerson(config)}`,
        );
        const [ended] = await watchRuns(program, engine, [{ id: run.id, label: config.name }], signal);
        conclude(program, engine, ended as RunRecord);
      }, SERVES);
    });
  program.command
    .command('resume')
    .description('Continue a paused, interrupted or failed run. It says first what will be repeated.')
    .argument('<run>', 'id of the run')
    .option(
      '--from <step>',
      'go on from an earlier step instead, in a new run that has the steps up to there; this one stays as it is',
      wholeNumber,
    )
    .action(async (id: string, { from }: { from?: number }) => {
      await program.withAnyEngine(async (engine, signal) => {
        const { run, redo } = await (from === undefined ? engine.resume(id) : engine.branch(id, from));
        program.say(
          from === undefined ? redo : `Run ${run.id} has the steps of ${id} up to ${from}. ${redo}`,
        );
        const [ended] = await watchRuns(program, engine, [{ id: run.id, label: run.config.name }], signal);
        conclude(program, engine, ended as RunRecord);
      }, SERVES);
    });
}

/** Without a preset, a configuration file says everything itself; nothing at all is the demo. */
function startingPoint({ preset, config }: RunOptions): RunConfigInput {
  const name = preset ?? (config === undefined ? 'demo' : null);
  if (name === null) return {};
  if (!isPresetName(name))
    throw new Failure(
      'usage',
      `There is no preset "${name}"; the presets are ${PRESET_NAMES.join(', ')}.`,
      2,
    );
  return PRESETS[name];
}

/** A run started from a terminal has no window where a person could answer. */
function absentPerson({ supervision }: RunConfig): string {
  const asked = supervision.human;
  if (asked === undefined || asked.share === 0) return '';
  const then = asked.fallback === 'model' ? 'the reviewer answers' : 'it is skipped';
  return `\nA person is asked for ${Math.round(asked.share * 100)} % of the reviews and cannot answer from a terminal: each waits ${asked.timeoutSeconds} s, then ${then}. Start the run in the window ("anchor serve") to answer.`;
}

/** Whoever chains commands must notice a run that did not come to its end. */
function conclude(program: Program, engine: Pick<WorkingEngine, 'store'>, run: RunRecord): void {
  program.print(run, () => closing(run));
  const reviews = engine.store.supervisionCost(run.id);
  const count = (rows: typeof reviews): number => rows.reduce((sum, row) => sum + row.reviews, 0);
  const failed = count(reviews.filter((row) => row.status === 'failed'));
  if (failed > 0)
    program.say(
      `${failed} of ${count(reviews)} reviews failed, so the supervisor was not heard there; "anchor show ${run.id} --step ${run.committedSteps}" says why.`,
    );
  if (run.state !== 'done') program.exitCode = 1;
}

function closing(run: RunRecord): string {
  const stored = `${run.committedSteps} of ${run.config.steps} steps stored`;
  return `Run ${run.id} is ${run.state}: ${stored}.${run.reason === null ? '' : ` ${run.reason}`}`;
}

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

function readTree(file: string): ReturnType<typeof treeFromYaml> {
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
 * @throws Failure `usage` (exit code 2) that names everything that is wrong and what it accepts.
 */
export function buildRunConfig(preset: Tree, file: string | null, assignments: readonly string[]): RunConfig {
  const written = file === null ? null : readTree(file);
  let tree = written === null ? preset : mergeConfigs(preset, written.tree);
  for (const text of assignments) tree = mergeConfigs(tree, assignment(text));
  // What --set gives stands in no line, whatever the file says there.
  const isSet = (key: unknown): boolean =>
    assignments.some((text) => text.slice(0, text.indexOf('=')).split('.').at(-1) === key);
  return checkedConfig(tree, (path) => (isSet(path.at(-1)) ? null : (written?.lineOf(path) ?? null)));
}
