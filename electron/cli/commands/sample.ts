import { remadeId } from '../../evaluation/index.ts';
import type { SampleState } from '../../experiments/index.ts';
import type { Program } from '../program.ts';
import { followJob } from '../progress.ts';
import { formatBytes } from '../table.ts';

/** `anchor sample …`: the recorded sample of the lab. */
export function addSample(program: Program): void {
  const group = program.command
    .command('sample')
    .description('The recorded sample: two real runs that come with the application.');
  group
    .command('checkpoints')
    .description(
      'Make the checkpoints of its runs again from their recorded updates, so that they can be asked and evaluated; minutes on two cores.',
    )
    .action(() =>
      program.withVerbs(async ({ tour }, engine, signal) => {
        const { checkpoints } = await tour.open();
        if (checkpoints?.areMade !== true) {
          const { problem } = await followJob(program, engine, await tour.makeCheckpoints(), signal);
          if (problem !== null) return program.fail(problem);
        }
        const state = await tour.state();
        program.print({ checkpoints: state.checkpoints, models: modelsOf(state) }, () => textOf(state));
      }),
    );
}

/** As "anchor eval" and "anchor ask" name them. */
const modelsOf = ({ runs, checkpoints }: SampleState): string[] =>
  runs.flatMap(({ id }) =>
    (checkpoints?.steps ?? []).map((step) =>
      checkpoints?.areOwn === true ? remadeId(id, step) : `${id}@${step}`,
    ),
  );

function textOf(state: SampleState): string {
  const models = modelsOf(state);
  return [
    `The checkpoints of the sample are there (${formatBytes(state.checkpoints?.bytes ?? 0)}): ${models.join(', ')}.`,
    state.checkpoints?.areOwn === true
      ? 'This processor rounds otherwise than the one that recorded them, so they have weights and hashes of their own, and their answers can differ from the recorded ones.'
      : 'They have the recorded hashes, file by file.',
    `anchor ask "Can you clean the sealed key?" --model ${models.at(-1) ?? ''}`,
  ].join('\n');
}
