/**
 * As a program, `node mutated-run.ts LAB NAME`: a run whose steps a script writes, taken by sources with one place changed and stored in the
 * lab. NAME is that of a mutant, or "none". Prints the id of the run.
 */
import { MUTANTS } from '../../mutants/chapters/index.ts';
import { mutate } from '../../mutants/edit.ts';
import { nameOf } from '../../mutants/mutant.ts';

const STEPS = 2;

const [folder = '', name = ''] = process.argv.slice(2);
const mutant = MUTANTS.find((one) => nameOf(one) === name);
if (mutant === undefined && name !== 'none') throw new Error(`There is no mutant "${name}".`);
if (mutant !== undefined) mutate(mutant);

// What is changed is loaded with these, and so not before.
const { openLab } = await import('../../../electron/store/index.ts');
const { rubricReviewer } = await import('../../../electron/supervision/index.ts');
const { FIRST_TASKS, FIXED_LINE, PACK, SELF_PLAY, smallSelfPlay, writesPrograms } =
  await import('../../electron/evolution/scripted-programs.ts');
const { takeSteps } = await import('../../electron/evolution/scripted-steps.ts');

const lab = await openLab(folder, { now: () => new Date() });
try {
  const id = `run-${lab.allRuns().length + 1}`;
  const p = { task: 0.8, plan: 0.8, thought: 0.8, output: 0.8, exec: 1 };
  const config = smallSelfPlay({ phases: p, fixedContext: [FIXED_LINE], contextLines: 4 }, {}, { name });
  lab.createRun({ id, config, folder: `runs/${id}` });
  lab.setRunState(id, 'setting-up', null);
  await takeSteps(config, STEPS, {
    ...SELF_PLAY,
    // Without the programs that only the simulated sandbox takes for endless: the verifier runs them.
    script: writesPrograms(3),
    reviewer: rubricReviewer(PACK),
    onBegun: ({ context, weightsSha256 }) => {
      lab.setRunModels(id, weightsSha256, null);
      const checkpoint = {
        step: 0,
        role: 'policy',
        version: 0,
        folder: 'step-0',
        weightsSha256,
        bytes: 0,
        files: [],
      };
      lab.putInitial(id, { context, tasks: FIRST_TASKS, checkpoints: [checkpoint] });
      lab.setRunState(id, 'stepping', null);
    },
    onCommit: (commit) => void lab.commitStep(id, commit),
  });
  lab.setRunState(id, 'done', null);
  process.stdout.write(`${id}\n`);
} finally {
  await lab.close();
}
