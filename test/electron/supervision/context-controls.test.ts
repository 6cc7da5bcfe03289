import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  contextRecordSchema,
  hashView,
  runConfigSchema,
  type ContextRecord,
  type SummaryRecord,
} from '../../../electron/contract/index.ts';
import { canonicalJson, sha256Hex } from '../../../electron/core/index.ts';
import { initialHash } from '../../../electron/evolution/index.ts';
import { resourcePaths } from '../../../electron/library/index.ts';
import { startTrainer, type TrainerClient } from '../../../electron/processes/index.ts';
import {
  contextText,
  firstContext,
  initialContext,
  ISSUES,
  ISSUE_NAMES,
  updateContext,
  type ContextUpdate,
  type Issue,
} from '../../../electron/supervision/index.ts';
import { contextMarkdown } from '../../../electron/supervision/step-files/step-files.ts';
import { compactPack, summaryOf, vocabulary } from './samples.ts';
import { useWarmTrainer } from '../../support/warm-trainer.ts';

useWarmTrainer();

const REVIEWS: ContextUpdate['config'] = {
  merge: 'guidance',
  contextTokens: 96,
  contextLines: 5,
  minimumSupport: 2,
  expirySteps: 8,
  contextText: 'reviews',
  fixedContext: [],
};
const FILLER = { ...REVIEWS, contextText: 'filler' as const };
const words = (text: string): number => text.split(/\s+/).filter((word) => word !== '').length;
const found = (issue: Issue, ids: string[]): SummaryRecord => summaryOf(issue, ISSUES[issue].feedback, ids);
const merge = (
  context: ContextRecord,
  summaries: SummaryRecord[],
  config: ContextUpdate['config'],
  countTokens: ContextUpdate['countTokens'] = words,
): Promise<ContextRecord> =>
  updateContext({ context, summaries, config, vocabulary, pack: compactPack, countTokens });
const GUIDANCE = Object.values(vocabulary.keys).flatMap(({ phrases }) => phrases);
const ISSUES_WITH_LINES = ['no_trace', 'unsafe_comply', 'trivial'] as const satisfies readonly Issue[];

describe('Filler in place of what reviews say', () => {
  let trainer: TrainerClient;
  let count: (text: string) => Promise<number>;
  const folder = mkdtempSync(join(tmpdir(), 'anchor-filler-'));
  const resources = resourcePaths(join(import.meta.dirname, '../../..'));
  beforeAll(async () => {
    trainer = await startTrainer({
      python: resources.python,
      moduleDir: resources.trainerModule,
      runDir: folder,
      spoolDir: join(folder, 'spool'),
      logFile: join(folder, 'trainer.log'),
      threads: 1,
    });
    await trainer.load({
      model: { path: resources.embeddedPolicy },
      train: { mode: 'none' },
      rollout: { maxSeqTokens: 960, maxConcurrent: 4 },
      device: 'cpu',
      threads: 1,
      seed: 1,
      reference: 'none',
    });
    count = async (text) => (await trainer.countTokens([[{ role: 'system', content: text }]]))[0] ?? 0;
  }, 120_000);
  afterAll(async () => {
    await trainer.shutdown();
    rmSync(folder, { recursive: true, force: true });
  });

  it('takes exactly as many tokens of the policy as the lines it stands for, for every set of lines and under the same heading', async () => {
    for (const bits of [1, 2, 3, 4, 5, 6, 7]) {
      const summaries = ISSUES_WITH_LINES.filter((_, index) => (bits >> index) % 2 === 1).map((issue) =>
        found(issue, ['a', 'b']),
      );
      const real = await merge(initialContext(), summaries, REVIEWS, count);
      const filler = await merge(initialContext(), summaries, FILLER, count);
      expect(real.lines.length).toBeGreaterThan(0);
      expect(await count(filler.text), filler.text).toBe(await count(real.text));
      expect(filler.tokens).toBe(real.tokens);
      expect(filler.text.split('\n').slice(0, 2)).toEqual(real.text.split('\n').slice(0, 2));
      expect(filler.text.split('\n').length).toBe(real.text.split('\n').length);
    }
  });

  it('has a wording for lines of any length', async () => {
    const lengths: number[] = [];
    for (let length = 1; length <= 24; length += 1) {
      const text = 'Word the plan again. '.repeat(8).split(' ').slice(0, length).join(' ');
      const line = summaryOf('no_trace', text, ['a', 'b']);
      const [real, filler] = [
        await merge(initialContext(), [line], { ...REVIEWS, merge: 'text' }, count),
        await merge(initialContext(), [line], { ...FILLER, merge: 'text' }, count),
      ];
      expect(filler.tokens, text).toBe(real.tokens);
      lengths.push(filler.tokens);
    }
    expect(new Set(lengths).size).toBeGreaterThan(12);
  });

  it('keeps the real lines with their reviews on record, and the policy sees none of their words', async () => {
    const summaries = ISSUES_WITH_LINES.map((issue) => found(issue, [`${issue}1`, `${issue}2`]));
    const real = await merge(initialContext(), summaries, REVIEWS, count);
    const filler = await merge(initialContext(), summaries, FILLER, count);
    expect(filler.lines).toEqual(real.lines);
    expect(contextRecordSchema.parse(filler)).toEqual(filler);
    expect(filler.hash).toBe(sha256Hex(filler.text));
    const spoken = new Set(
      GUIDANCE.join(' ')
        .toLowerCase()
        .match(/[a-z]{4,}/g),
    );
    const shown =
      filler.text
        .replace('\nGuidance:', '')
        .toLowerCase()
        .match(/[a-z]{4,}/g) ?? [];
    expect(shown.filter((word) => spoken.has(word))).toEqual([]);
    const neutral = filler.text.split('\n').slice(2);
    expect(neutral.length).toBe(real.lines.length);
    for (const line of neutral) expect(line).toMatch(/^- [A-Z][a-z ]*\.$/);
    const page = contextMarkdown(filler);
    expect(page).toContain('neutral text of as many tokens in place of these lines');
    expect(page).toContain('no_trace1');
    expect(contextMarkdown(real)).not.toContain('neutral text');
  });

  it('is the same for the same reviews, lives and leaves with the lines, and is empty without them', async () => {
    const first = await merge(initialContext(), [found('no_trace', ['a', 'b'])], FILLER, count);
    expect(await merge(initialContext(), [found('no_trace', ['a', 'b'])], FILLER, count)).toEqual(first);
    let context = first;
    for (let step = 2; step <= 8; step += 1) {
      context = await merge(context, [], FILLER, count);
      expect(context.text).toBe(first.text);
    }
    context = await merge(context, [], FILLER, count);
    expect(context).toMatchObject({
      text: '',
      tokens: 0,
      lines: [],
      removed: [{ text: 'Trace each step.', reason: 'expired' }],
    });
  });
});

describe('Lines fixed by the configuration', () => {
  const fixed = (...fixedContext: string[]): ContextUpdate['config'] => ({ ...REVIEWS, fixedContext });
  const begin = (config: ContextUpdate['config']): Promise<ContextRecord> =>
    firstContext({ config, vocabulary, pack: compactPack, countTokens: words });

  it('are in the first context, known by their key, and without them it is empty', async () => {
    const context = await begin(fixed('Trace each step.', 'Speak plainly.'));
    expect(context).toMatchObject({
      step: 1,
      text: '\nGuidance:\n- Trace each step.\n- Speak plainly.',
      tokens: 8,
      hash: sha256Hex(context.text),
    });
    expect(context.lines.map(({ id, key, reviewIds }) => [id, key, reviewIds])).toEqual([
      ['fixed.1', 'trace', []],
      ['fixed.2', null, []],
    ]);
    expect(await begin(REVIEWS)).toEqual(initialContext());
    expect(contextMarkdown(context)).toContain('set for the whole run');
  });

  it('never expire, stay first and are not brought a second time by reviews', async () => {
    const config = fixed('Trace each step.');
    let context = await begin(config);
    for (let step = 1; step <= 30; step += 1) {
      context = await merge(
        context,
        step % 3 === 0 ? [found('no_trace', ['a', 'b']), found('unsafe_comply', ['c'])] : [],
        config,
      );
      expect(context.lines[0]).toMatchObject({
        id: 'fixed.1',
        text: 'Trace each step.',
        support: 0,
        reviewIds: [],
      });
      expect(context.lines.filter(({ text }) => text === 'Trace each step.')).toHaveLength(1);
    }
    expect(context.lines.map(({ text }) => text)).toEqual(['Trace each step.', 'Refuse unsafe requests.']);
  });

  it('are never dropped for room or for a line that contradicts them', async () => {
    const config = {
      ...fixed('Propose simpler programs.', 'Speak plainly.'),
      contextLines: 1,
      contextTokens: 3,
    };
    const context = await merge(
      await begin(config),
      [found('trivial', ['a', 'b']), found('unsafe_comply', ['c'])],
      config,
    );
    expect(context.lines.map(({ text }) => text)).toEqual(['Propose simpler programs.', 'Speak plainly.']);
    expect(context.removed.map(({ reason }) => reason).sort()).toEqual(['budget', 'conflict']);
  });

  it('are shown as they are when the lines of reviews are replaced by filler', async () => {
    const config = { ...FILLER, fixedContext: ['Trace each step.'] };
    const context = await merge(await begin(config), [found('unsafe_comply', ['c'])], config);
    expect(context.text.split('\n').slice(0, 3)).toEqual(['', 'Guidance:', '- Trace each step.']);
    expect(context.text).not.toContain('Refuse');
    expect(context.text).not.toBe(contextText(compactPack, context.lines));
  });
});

describe('A run without either', () => {
  it('has the hash it had before the settings existed, and another with each of them', () => {
    const config = runConfigSchema.parse({});
    const hash = (supervision: Partial<typeof config.supervision>): string =>
      initialHash({ ...config, supervision: { ...config.supervision, ...supervision } }, 'c', {
        weightsSha256: 'w',
        supervisorSha256: null,
        tasks: [],
      });
    const {
      name: _,
      preset: __,
      supervision: { contextText: ___, fixedContext: ____, ...supervision },
      ...rest
    } = config;
    expect(hash({})).toBe(
      sha256Hex(canonicalJson(['anchor-run-v1', hashView({ ...rest, supervision }), 'w', 'c'])),
    );
    expect(
      new Set([hash({}), hash({ contextText: 'filler' }), hash({ fixedContext: ['Trace each step.'] })]).size,
    ).toBe(3);
  });

  it('has the same contexts whichever issues are found', async () => {
    const context = await merge(
      initialContext(),
      ISSUE_NAMES.map((issue) => found(issue, ['a', 'b'])),
      REVIEWS,
    );
    expect(context.text).toBe(contextText(compactPack, context.lines));
  });
});
