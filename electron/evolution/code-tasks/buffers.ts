import {
  CODE_TASK_TYPES,
  isCodeTask,
  type AzrConfig,
  type CodeTaskType,
  type Probability,
  type TaskRecord,
} from '../../contract/index.ts';
import {
  canonicalJson,
  sampleWithoutReplacement,
  sha256Hex,
  uniformIndex,
  weightedSample,
  type RandomPath,
} from '../../core/index.ts';

export type BufferRules = Pick<
  AzrConfig,
  'bufferCap' | 'bufferFilter' | 'taskChoice' | 'references' | 'referenceSampling'
>;

/** Which tasks count as new when those of a step are chosen: of the step before (at step 1 these are the seeds). */
const NEW_WINDOW_STEPS = 1;

/**
 * The buffers of a run, one per task type, oldest task first. Their content is a function of the stored tasks and every
 * choice a function of (seed, path), so a resumed run rebuilds them from the records and needs no other state.
 */
export class TaskBuffers {
  readonly #rules: BufferRules;
  readonly #tasks = Object.fromEntries(CODE_TASK_TYPES.map((name) => [name, [] as TaskRecord[]])) as Record<
    CodeTaskType,
    TaskRecord[]
  >;

  constructor(rules: BufferRules) {
    this.#rules = rules;
  }

  /**
   * Adds tasks in order of creation; rewarded prompts and proposals the buffer filter drops are left out. Beyond `bufferCap`
   * the oldest go (the original drops the new ones instead, and so stops learning from them).
   */
  add(tasks: readonly TaskRecord[]): void {
    for (const task of tasks) {
      if (!isCodeTask(task.taskType)) continue;
      if (task.origin === 'proposal' && !entersBuffer(task.solveRate, this.#rules.bufferFilter)) continue;
      const buffer = this.#tasks[task.taskType];
      if ((buffer.at(-1)?.step ?? 0) > task.step)
        throw new RangeError(
          `Task ${task.id} of step ${task.step} comes after one of step ${buffer.at(-1)?.step}; add tasks in order of creation.`,
        );
      buffer.push(task);
    }
    for (const taskType of CODE_TASK_TYPES)
      this.#tasks[taskType].splice(0, this.#tasks[taskType].length - this.#rules.bufferCap);
  }

  of(taskType: CodeTaskType): readonly TaskRecord[] {
    return this.#tasks[taskType];
  }

  /** Keys of all tasks of a type, for refusing duplicates. */
  keys(taskType: CodeTaskType): Set<string> {
    return new Set(this.of(taskType).map((task) => taskKey(taskType, task)));
  }

  /**
   * The `count` tasks solved in `step`, so t solves what was proposed before t. newest-first (the original's max_new): tasks
   * of the last step in random order, then others uniformly, with repeats. uniform: all tasks alike. half-new: half of the
   * batch from the last step. recency: weight creation step + 1. Under the last three, repeats fill a batch only when the
   * buffer is too small. An empty buffer gives no tasks.
   * The original's (azr_ray_trainer.py: _create_train_code_pred_dataloader): azr-max-new fills with different tasks of the whole
   * buffer, those already taken among them; azr-half-new takes half of the batch, rounded down, from the last step and the rest so;
   * azr-step draws each task by itself with weight creation step, so tasks of step 0 come only while there are no others.
   */
  chooseTasks(
    taskType: CodeTaskType,
    count: number,
    step: number,
    seed: number,
    ...path: RandomPath
  ): TaskRecord[] {
    const buffer = this.of(taskType);
    const fresh = buffer.filter((task) => task.step >= step - NEW_WINDOW_STEPS);
    switch (this.#rules.taskChoice) {
      case 'newest-first':
        return fill(buffer, sampleWithoutReplacement(fresh, count, seed, ...path, 'new'), count, seed, path);
      case 'uniform':
        return fill(
          buffer,
          sampleWithoutReplacement(buffer, count, seed, ...path, 'uniform'),
          count,
          seed,
          path,
        );
      case 'recency':
        return fill(
          buffer,
          weightedSample(buffer, recencyWeights(buffer), count, seed, ...path, 'recency'),
          count,
          seed,
          path,
        );
      case 'half-new': {
        const newest = sampleWithoutReplacement(fresh, Math.ceil(count / 2), seed, ...path, 'new');
        const others = sampleWithoutReplacement(
          buffer.filter((task) => !newest.includes(task)),
          count - newest.length,
          seed,
          ...path,
          'others',
        );
        return fill(buffer, [...newest, ...others], count, seed, path);
      }
      case 'azr-max-new':
        return this.#newAndAny(
          buffer,
          sampleWithoutReplacement(fresh, count, seed, ...path, 'new'),
          count,
          seed,
          path,
        );
      case 'azr-half-new':
        return this.#newAndAny(
          buffer,
          sampleWithoutReplacement(fresh, Math.floor(count / 2), seed, ...path, 'new'),
          count,
          seed,
          path,
        );
      case 'azr-step': {
        const weights = buffer.map((task) => task.step);
        const drawn = Array.from({ length: Math.min(count, buffer.length) }, (_, index) =>
          weightedSample(buffer, weights, 1, seed, ...path, 'step', index),
        );
        return fill(buffer, drawn.flat(), count, seed, path);
      }
    }
  }

  /** New tasks and others of the whole buffer, each of the others once; where these are too few, the original stops. */
  #newAndAny(
    buffer: readonly TaskRecord[],
    newest: readonly TaskRecord[],
    count: number,
    seed: number,
    path: RandomPath,
  ): TaskRecord[] {
    const others = sampleWithoutReplacement(buffer, count - newest.length, seed, ...path, 'others');
    return fill(buffer, [...newest, ...others], count, seed, path);
  }

  /** References shown to one proposer: at most K different rows of its buffer, drawn again for every prompt. */
  sampleReferences(taskType: CodeTaskType, seed: number, ...path: RandomPath): TaskRecord[] {
    return this.#sample(this.of(taskType), this.#rules.references, seed, path);
  }

  /** The task whose program a proposer is given: one row of several buffers together; null when all are empty. */
  sampleProgram(taskTypes: readonly CodeTaskType[], seed: number, ...path: RandomPath): TaskRecord | null {
    return (
      this.#sample(
        taskTypes.flatMap((taskType) => this.of(taskType)),
        1,
        seed,
        path,
      )[0] ?? null
    );
  }

  #sample(rows: readonly TaskRecord[], count: number, seed: number, path: RandomPath): TaskRecord[] {
    if (this.#rules.referenceSampling === 'uniform')
      return sampleWithoutReplacement(rows, count, seed, ...path);
    return weightedSample(rows, recencyWeights(rows), count, seed, ...path);
  }
}

function recencyWeights(tasks: readonly TaskRecord[]): number[] {
  return tasks.map((task) => task.step + 1);
}

function fill(
  buffer: readonly TaskRecord[],
  chosen: TaskRecord[],
  count: number,
  seed: number,
  path: RandomPath,
): TaskRecord[] {
  if (buffer.length === 0) return [];
  const more = Array.from(
    { length: count - chosen.length },
    (_, index) => buffer[uniformIndex(buffer.length, seed, ...path, 'fill', index)] as TaskRecord,
  );
  return [...chosen, ...more];
}

/** Two tasks with this key equal ask the same: same type, same program text up to white space at line ends, same inputs. */
export function taskKey(taskType: CodeTaskType, task: Pick<TaskRecord, 'program' | 'inputs'>): string {
  const program = task.program
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .join('\n');
  return sha256Hex(canonicalJson([taskType, program, task.inputs]));
}

/** Whether a valid task enters its buffer: all, or none that everybody solves (non-one), or neither that nor unsolved (non-extremes). */
export function entersBuffer(solveRate: Probability | null, filter: AzrConfig['bufferFilter']): boolean {
  if (filter === 'all' || solveRate === null) return true;
  return solveRate < 1 && (filter === 'non-one' || solveRate > 0);
}
