/** Pictures of every room in both themes: `npm run shots -- [--out folder] [--lab folder] [--only name,…] [--size 1280x800] [--theme light] [--sample]`. Without --lab it makes a small lab by real training first; with --sample it shows the recorded sample run instead, as docs/pictures does. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { GRADED_SUITES } from '../../../electron/evaluation/index.ts';
import { makeLab, type MadeLab } from '../../support/made-lab.ts';
import { APPLICATION, noChromium, openEngine, openWindow, type OpenWindow } from './open-window.ts';
import { placesOf, SAMPLE_PLACES, type Place } from './places.ts';

type Theme = 'light' | 'dark';

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: join(APPLICATION, 'out/shots') },
    lab: { type: 'string' },
    only: { type: 'string' },
    size: { type: 'string', default: '1280x800' },
    theme: { type: 'string' },
    sample: { type: 'boolean', default: false },
  },
});
if (noChromium !== null) {
  process.stderr.write(`shots: ${noChromium}\n`);
  process.exit(1);
}

/** The lab of the pictures: the given one if it was made here before, else a fresh one. */
async function takeLab(): Promise<{ made: MadeLab; scratch: string | null }> {
  const note = values.lab === undefined ? null : join(resolve(values.lab), 'made.json');
  if (note !== null && existsSync(note))
    return { made: JSON.parse(readFileSync(note, 'utf8')) as MadeLab, scratch: null };
  const folder =
    values.lab === undefined ? mkdtempSync(join(tmpdir(), 'anchor-shots-')) : resolve(values.lab);
  process.stderr.write('shots: making a small lab by real training; a minute or two\n');
  const made = await makeLab(folder, 4);
  await fillMatrix(made);
  writeFileSync(join(folder, 'made.json'), JSON.stringify(made));
  return { made, scratch: values.lab === undefined ? folder : null };
}

/** The mini suites of the weights before training and after, so that the matrix has something to compare. */
async function fillMatrix({ folder, supervised, alone }: MadeLab): Promise<void> {
  const engine = await openEngine(folder);
  try {
    const {
      policy: { threads },
      steps,
    } = engine.store.getRun(supervised)!.config;
    const suites = GRADED_SUITES.filter(({ mini }) => mini).map(({ name }) => name);
    await engine.withEvaluator(threads, async (evaluate) => {
      for (const [runId, step] of [
        [supervised, 0],
        [supervised, steps],
        [alone, steps],
      ] as const)
        await evaluate({ policy: { runId, step }, suites, limit: 20, seed: 1, contexts: [null] });
    });
  } finally {
    await engine.close();
  }
}

const [width = 1280, height = 800] = values.size.split('x').map(Number);
const only = values.only?.split(',');
mkdirSync(values.out, { recursive: true });
if (values.sample) await bothThemes((theme) => picture(theme, undefined, SAMPLE_PLACES, playSample));
else {
  const { made, scratch } = await takeLab();
  try {
    await bothThemes((theme) => pictureLab(theme, made));
  } finally {
    if (scratch !== null) rmSync(scratch, { recursive: true, force: true });
  }
}

async function bothThemes(take: (theme: Theme) => Promise<void>): Promise<void> {
  for (const theme of ['light', 'dark'] as const)
    if (values.theme === undefined || values.theme === theme) await take(theme);
}

async function pictureLab(theme: Theme, made: MadeLab): Promise<void> {
  if (only === undefined || only.includes('first-launch')) {
    await picture(theme, undefined, [
      { name: 'first-launch', at: '/', page: '' },
      { name: 'evaluations-matrix-empty', at: '/evaluations?tab=matrix', page: '/evaluations' },
    ]);
  }
  await picture(
    theme,
    made.folder,
    placesOf(made).filter(({ name }) => only?.includes(name) ?? true),
  );
}

/** Plays the sample for a moment and stores the rest of it: a feed that was never told anything has nothing to show. */
async function playSample({ page, go }: OpenWindow): Promise<void> {
  await go('/demo');
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await page.waitForTimeout(3000);
  await page.getByRole('button', { name: 'To the end' }).click();
  await page.getByText('alone 24 and supervised 24 of 24 steps').waitFor();
}

async function picture(
  theme: Theme,
  labFolder: string | undefined,
  places: readonly Place[],
  prepare: (window: OpenWindow) => Promise<void> = async () => {},
): Promise<void> {
  if (places.length === 0) return;
  const window = await openWindow({ labFolder, theme, size: { width, height }, place: places[0]?.at });
  try {
    await prepare(window);
    for (const { name, at } of places) {
      await window.go(at);
      const file = join(values.out, `${name}-${theme}.png`);
      writeFileSync(file, await window.page.screenshot());
      process.stdout.write(`${file}\n`);
    }
    for (const complaint of window.complaints) process.stderr.write(`complaint (${theme}): ${complaint}\n`);
  } finally {
    await window.close();
  }
}
