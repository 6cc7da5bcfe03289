import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLab, type Lab } from '../../../electron/store/index.ts';
import { warmPython } from '../../support/warm-trainer.ts';
import { makeApplication, PYTHON } from '../engine/application.ts';
import { launch, type What } from '../engine/launch.ts';
import { faultRun, requireMovement, resultOf, STEPS, storedRun, type Result } from '../engine/short-run.ts';
import { buildShim, shimEnvironment } from '../shim/shim.ts';
import type { Conduct, Fault, Stage } from './fault.ts';
import { TRAINER_FAULTS } from './trainer-faults.ts';

/** What every fault needs once: the shim, a run paused after its first step, and how it ends undisturbed. */
export type Studio = { folder: string; shim: string; compileCache: string; half: string; expected: Result };

export async function openStudio(folder: string): Promise<Studio> {
  mkdirSync(folder, { recursive: true });
  const [config, half, end] = [join(folder, 'fault-run.json'), join(folder, 'half'), join(folder, 'end')];
  const base = { folder, shim: buildShim(folder), compileCache: join(folder, 'compiled'), half };
  const application = makeApplication(join(folder, 'application'), warmPython() ?? PYTHON).folder;
  writeFileSync(config, JSON.stringify(faultRun()));
  const drive = async (lab: string, what: What): Promise<void> => {
    const life = launch({
      lab,
      application,
      door: 'engine',
      what,
      environment: { NODE_COMPILE_CACHE: base.compileCache },
    });
    const { code } = await life.ended;
    if (code !== 0) throw new Error(`The undisturbed run did not end well: ${life.said()}`);
  };
  await drive(half, { begin: config });
  cpSync(half, end, { recursive: true });
  await drive(end, { resume: storedRun(end)?.id ?? '' });
  const expected = resultOf(end);
  requireMovement(expected);
  rmSync(end, { recursive: true });
  return { ...base, expected };
}

/** Plays one fault and returns null when its outcome is the promised one, else what happened instead. */
export async function play(fault: Fault, studio: Studio): Promise<string | null> {
  const place = join(studio.folder, fault.name.replaceAll(/[^a-z0-9]+/gi, '-'));
  const lab = join(place, 'lab');
  mkdirSync(place, { recursive: true });
  if (fault.from === 'half') cpSync(studio.half, lab, { recursive: true });
  const evidence: string[] = [];
  // What is done to a trainer must be done to a real one; of the others only the results are asked.
  const python = TRAINER_FAULTS.includes(fault) ? PYTHON : (warmPython() ?? PYTHON);
  const stage = stageFor(place, lab, studio, evidence, python);
  const config = join(place, 'config.json');
  writeFileSync(config, JSON.stringify((fault.config ?? ((same) => same))(faultRun())));
  const conduct = fault.arrange(stage);
  try {
    const found = await judge(fault, conduct, stage, studio, config);
    const isMissing = evidence.some((file) => !existsSync(file));
    return found ?? (isMissing ? 'the fault itself did not take place' : null);
  } finally {
    conduct.repair?.();
    rmSync(place, { recursive: true, force: true });
  }
}

async function judge(
  fault: Fault,
  conduct: Conduct,
  stage: Stage,
  studio: Studio,
  config: string,
): Promise<string | null> {
  const { outcome } = fault;
  const { lab } = stage;
  const first = await drive(conduct);
  switch (outcome.kind) {
    case 'goesOn':
      return first.code === 0 ? same() : `it ended with code ${first.code}: ${first.said}`;
    case 'stops': {
      const wrong = spoke(first, outcome.sentence);
      if (wrong !== null) return wrong;
      conduct.repair?.();
      stage.application.forget();
      if (storedRun(lab)?.state === 'done') return same(); // it stopped after its last step was stored
      const second = await drive({});
      return second.code === 0 ? same() : `continued, it ended with code ${second.code}: ${second.said}`;
    }
    case 'refused':
      return (
        spoke(first, outcome.sentence) ??
        spoke(await drive({ ...conduct, during: undefined }), outcome.sentence)
      );
    case 'noticed': {
      const findings = await withStore(lab, (store) =>
        store
          .checkIntegrity()
          .map(({ finding }) => finding)
          .join(' '),
      );
      return outcome.sentence.test(findings) ? null : `the check of the lab found: ${findings || 'nothing'}`;
    }
    case 'reviewsFail': {
      if (first.code !== 0) return `it ended with code ${first.code}: ${first.said}`;
      const reviews = await withStore(lab, (store) =>
        Array.from({ length: STEPS }, (_, index) =>
          store.listReviews(storedRun(lab)?.id ?? '', index + 1),
        ).flat(),
      );
      const wanted = reviews.filter(
        ({ status, feedback }) => status === outcome.status && outcome.sentence.test(feedback),
      );
      return wanted.length > 0
        ? null
        : `no review is ${outcome.status} with that reason: ${JSON.stringify(reviews.slice(0, 3).map(({ status, feedback }) => [status, feedback]))}`;
    }
  }

  async function drive({
    environment = {},
    node,
    door = 'engine',
    during,
    what = (usual) => usual,
  }: Conduct): Promise<{ code: number | null; said: string }> {
    // The fault may be in the very file that tells which run there is.
    const run = fault.from === 'half' ? storedRun(studio.half) : storedRun(lab);
    rmSync(`${lab}.stderr`, { force: true });
    const life = launch({
      lab,
      application: stage.application.folder,
      door,
      node,
      what: what(run === null ? { run: config } : { resume: run.id }),
      environment: { NODE_COMPILE_CACHE: studio.compileCache, ...environment },
    });
    // A failure of the act is told when the engine has ended: its folder is about to go.
    const acting = (during?.(life) ?? Promise.resolve()).then(
      () => null,
      (error: Error) => error,
    );
    const { code } = await life.ended;
    const failure = await acting;
    if (failure !== null) throw failure;
    return { code, said: life.said().trim() };
  }

  function same(): string | null {
    const { steps, files } = resultOf(lab);
    // A configuration of its own is in the hashes; the weights must be the same all the same.
    const told = (from: Result['steps']): string =>
      JSON.stringify(fault.config === undefined ? from : from.map((step) => step.weights_sha256));
    if (told(steps) !== told(studio.expected.steps))
      return `the steps are ${JSON.stringify(steps)} instead of ${JSON.stringify(studio.expected.steps)}`;
    const missing = studio.expected.files.filter((name) => !files.includes(name) && name !== 'trainer.log');
    return missing.length === 0 ? null : `files are missing: ${missing.join(' ')}`;
  }
}

async function withStore<T>(lab: string, read: (store: Lab) => T): Promise<T> {
  const store = await openLab(lab, { now: () => new Date(), readonly: true });
  try {
    return read(store);
  } finally {
    store.close();
  }
}

/** The first line is the sentence; anything that is no sentence but a stack is a surprise, whatever it contains. */
function spoke({ code, said }: { code: number | null; said: string }, sentence: RegExp): string | null {
  if (code === 0) return 'it ended well';
  if (/^\s+at /m.test(said)) return `it ended with a stack: ${said}`;
  return sentence.test(said) ? null : `it said: ${said}`;
}

/** `evidence` gets the files that the fault leaves behind when it takes place: a run that never met it would end well too. */
function stageFor(place: string, lab: string, studio: Studio, evidence: string[], python: string): Stage {
  const application = makeApplication(join(place, 'application'), python);
  const [mark, once] = [join(place, 'struck'), join(place, 'once')];
  return {
    lab,
    application,
    shim: (settings) => {
      evidence.push(mark);
      return shimEnvironment(studio.shim, { under: lab, mark, ...settings });
    },
    supervisor: (behaviour) => {
      if (behaviour.endsWith('-once')) evidence.push(once);
      const node = join(place, 'node-between');
      writeFileSync(
        node,
        `#!/bin/sh\nexec '${process.execPath}' '${join(import.meta.dirname, 'supervisor-between.ts')}' ${behaviour} '${once}' "$@"\n`,
        { mode: 0o755 },
      );
      return node;
    },
    trainer: (behaviour) =>
      `exec '${PYTHON}' '${join(import.meta.dirname, 'faulty_trainer.py')}' ${behaviour}`,
    run: () => join(lab, 'runs', storedRun(lab)?.id ?? ''),
  };
}
