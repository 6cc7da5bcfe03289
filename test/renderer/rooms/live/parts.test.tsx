// @vitest-environment happy-dom
import { act, cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { PHASES, type GpuSample, type ResourceSample } from '../../../../electron/contract/index.ts';
import { Legend, makeCursor } from '../../../../renderer/charts/curve-parts.tsx';
import { useTranslate } from '../../../../renderer/i18n/index.ts';
import { GpuPanel, MachineNow } from '../../../../renderer/rooms/live/parts/system-panel.tsx';
import type { RunBanner } from '../../../../renderer/rooms/live/model/banners.ts';
import { timelineSeries } from '../../../../renderer/rooms/live/model/curves.ts';
import type { DiffLine } from '../../../../renderer/rooms/live/model/context-diff.ts';
import type { FeedRow } from '../../../../renderer/rooms/live/model/feed.ts';
import { SaidWas } from '../../../../renderer/rooms/live/parts/run-facts.tsx';
import { SupervisionCost } from '../../../../renderer/rooms/live/parts/supervision-cost.tsx';
import { Rates } from '../../../../renderer/rooms/live/tasks-tab.tsx';
import { ContextLines } from '../../../../renderer/rooms/live/parts/context-panel.tsx';
import { FeedLine } from '../../../../renderer/rooms/live/parts/feed-panel.tsx';
import { TrainerMemoryLine } from '../../../../renderer/rooms/live/parts/trainer-memory.tsx';
import { bannerText } from '../../../../renderer/rooms/live/parts/run-header.tsx';
import { ReviewQueueLine } from '../../../../renderer/rooms/live/parts/review-queue.tsx';
import { PhaseChip } from '../../../../renderer/ui/index.ts';
import { show } from '../../ui/show.tsx';

afterEach(cleanup);

function Said({ banner, usualStep }: { banner: RunBanner; usualStep: number | null }) {
  return <p>{bannerText(useTranslate(), banner, usualStep)}</p>;
}

describe('what stands above a run', () => {
  it.each<[RunBanner, string]>([
    [
      {
        kind: 'failed',
        reason: 'The disk is full.',
        redo: '4 of 9 steps are stored; step 5 is taken again.',
      },
      'The run failed. The disk is full. 4 of 9 steps are stored; step 5 is taken again. About 12 s.',
    ],
    [{ kind: 'failed', reason: null, redo: null }, 'The run failed. It did not say why.'],
    [
      {
        kind: 'interrupted',
        reason: 'Stopped during step 5; resuming repeats that step.',
        redo: '4 of 9 steps are stored.',
      },
      'The run stopped before its end. Stopped during step 5; resuming repeats that step.',
    ],
    [
      { kind: 'paused', reason: 'Paused after step 4; resuming continues with step 5.', redo: 'Continuing.' },
      'Paused after step 4; resuming continues with step 5.',
    ],
    [
      { kind: 'person', count: 1, secondsLeft: 252 },
      '1 record waits for a person; the first goes to its fallback in 04:12.',
    ],
    [
      { kind: 'person', count: 3, secondsLeft: -2 },
      '3 records wait for a person; the first goes to its fallback now.',
    ],
    [{ kind: 'person', count: 3, secondsLeft: null }, '3 records wait for a person.'],
    [
      { kind: 'silent', child: 'trainer', seconds: 95, limitSeconds: 180, detail: '' },
      'Trainer has been silent for 95 s (limit 3 min 00 s; then it is started again and the step is taken again).',
    ],
    [
      { kind: 'still', child: 'trainer', seconds: 70, limitSeconds: null, detail: '' },
      'Trainer is alive but has made no progress for 1 min 10 s.',
    ],
    [
      { kind: 'lost', child: 'supervisor', seconds: 0, limitSeconds: null, detail: 'It was killed.' },
      'Supervisor was lost and is being started again; no stored step is affected. It was killed.',
    ],
    [
      { kind: 'behind', waiting: 14, share: 0.2 },
      'The supervisor is slower than the trainer: 14 items wait; 20 % of the last steps went by waiting for reviews. Lower the probabilities or the budget of a next run to avoid it.',
    ],
  ])('%o is one sentence', (banner, text) => {
    show(<Said banner={banner} usualStep={12} />);
    expect(screen.getByText(text)).toBeTruthy();
  });
});

/** Lines of the reviews' curve, as its legend draws them. */
function ReviewsLegend() {
  const metrics = Object.fromEntries(
    [...PHASES.map((phase) => `supervision/${phase}/reviews`), 'supervision/retries'].map((name) => [
      name,
      [1],
    ]),
  );
  return (
    <Legend
      series={timelineSeries('reviews', { steps: [1], timings: {}, metrics }, useTranslate())}
      hidden={new Set()}
      cursor={makeCursor()}
      span={[1, 1]}
      format={String}
      onToggle={() => {}}
    />
  );
}

describe('the curve of reviews', () => {
  it('draws each phase in the colour of its chip, and retries in that of none', () => {
    const { container } = show(
      <>
        <ReviewsLegend />
        {PHASES.map((phase) => (
          <PhaseChip key={phase} phase={phase} />
        ))}
      </>,
    );
    const lines = [...container.querySelectorAll('.fig-legend line')].map((line) =>
      line.getAttribute('stroke'),
    );
    const chips = [...container.querySelectorAll<HTMLElement>('.ui-phase')].map(({ style }) => style.color);
    expect(chips[0]).toBe('var(--phase-task)');
    expect(lines).toEqual([...chips, 'var(--series-8)']);
  });
});

describe('a line of the feed', () => {
  const row: FeedRow = {
    key: 'k',
    at: '2026-01-01T10:00:00.000Z',
    order: 0,
    step: 4,
    batch: 'gen_code_f',
    taskType: 'induction',
    recordId: '4/gen_code_f/2',
    phase: 'plan',
    decision: 'retry',
    outcome: 'invalid',
    agent: '<b>def f</b>',
    supervisor: 'Vague.',
    issues: [],
    group: { step: 4, taskType: 'induction', count: 7 },
  };
  it('a line of the feed shows its group, who wrote, the decision and both sides, as text and nothing else', () => {
    const { container } = show(<FeedLine row={row} />);
    for (const text of ['Step 4', 'proposer 2', 'invalid', '<b>def f</b>', 'Vague.'])
      expect(container.textContent, text).toContain(text);
    expect(container.querySelector('b')).toBeNull();
    expect(container.textContent).toContain('↻ retry');
  });
  it('an unreviewed line says so, to screen readers too', () => {
    show(<FeedLine row={{ ...row, phase: null, decision: 'none', group: null }} />);
    expect(screen.getByText('not reviewed')).toBeTruthy();
  });
});

describe('the lines of a context', () => {
  const line = (id: string): DiffLine['line'] => ({
    id,
    text: 'x',
    key: null,
    enteredStep: 3,
    lastSupportedStep: 5,
    support: 2,
    reviewIds: ['a', 'b'],
  });
  it('context lines mark changes by sign and word, and open their lineage', () => {
    const opened: string[] = [];
    const { container } = show(
      <ContextLines
        onOpen={(id) => opened.push(id)}
        lines={[
          {
            id: '1.1',
            is: 'changed',
            parts: [
              { text: 'Trace ', is: 'same' },
              { text: 'each', is: 'removed' },
              { text: 'every', is: 'added' },
            ],
            line: line('1.1'),
            reason: null,
          },
          {
            id: '1.2',
            is: 'removed',
            parts: [{ text: 'Gone.', is: 'removed' }],
            line: null,
            reason: 'expired',
          },
        ]}
      />,
    );
    expect([...container.querySelectorAll('li')].map((item) => item.textContent)).toEqual([
      '±reworded Trace eachevery',
      '−removed Gone.',
    ]);
    expect([
      container.querySelector('ins')?.textContent,
      container.querySelector('del')?.textContent,
    ]).toEqual(['every', 'each']);
    fireEvent.click(screen.getByRole('button', { name: /reworded/ }));
    expect(opened).toEqual(['1.1']);
  });
  it('a context line says on focus where it comes from', async () => {
    show(
      <ContextLines
        onOpen={() => {}}
        lines={[
          { id: '4.1', is: 'same', parts: [{ text: 'Trace.', is: 'same' }], line: line('4.1'), reason: null },
        ]}
      />,
    );
    act(() => screen.getByRole('button', { name: 'Trace.' }).focus());
    expect(
      await screen.findByText(
        /In the context since step 3, last supported by reviews of step 5; 2 reviews behind it\./,
      ),
    ).toBeTruthy();
  });
});

describe('numbers of a run', () => {
  const bare: ResourceSample = {
    at: '2026-01-01T00:00:00.000Z',
    cpu: null,
    cores: 8,
    others: null,
    memory: { used: 2e9, total: 8e9 },
    disk: null,
    gpus: [],
    gpuProblem: null,
    processes: [],
  };
  it('a machine without cards or a CPU reading says what is not known', () => {
    const { container } = show(<MachineNow sample={bare} />);
    expect(container.textContent).toContain('memory 2.0 GB of 8.0 GB');
    expect(container.textContent).not.toContain('CPU');
  });
  it('cards tell their use, whose memory it is, heat, power and what slows them; no card is one line', () => {
    const said = (sample: Partial<ResourceSample>): string => {
      const { container } = show(<GpuPanel sample={{ ...bare, ...sample }} />);
      const text = [...container.querySelectorAll('span, strong')]
        .map((part) => part.textContent)
        .join(' | ');
      cleanup();
      return text;
    };
    const card: GpuSample = {
      index: 1,
      name: 'H100',
      busy: 0.5,
      memoryUsed: 6e9,
      memoryTotal: 8e9,
      memoryOurs: 4e9,
      memoryOthers: 2e9,
      celsius: 70,
      watts: 350.4,
      wattsLimit: 700,
      isSplit: false,
      slowedBy: ['power', 'heat'],
    };
    expect(said({ gpus: [card] })).toBe(
      'H100, card 1 | 50 % busy | memory 6.0 GB of 8.0 GB | this lab 4.0 GB, others 2.0 GB | 70 °C | 350 W of 700 W | slowed down by its power limit | slowed down by its temperature',
    );
    const split = {
      ...card,
      busy: null,
      isSplit: true,
      memoryOurs: null,
      celsius: null,
      watts: null,
      slowedBy: [],
    };
    expect(said({ gpus: [split] })).toBe(
      'H100, card 1 | split into instances (MIG), whose use the driver does not tell | memory 6.0 GB of 8.0 GB',
    );
    expect(said({ gpuProblem: 'missing' })).toBe('No NVIDIA card is seen here: there is no nvidia-smi.');
    expect(said({ gpuProblem: 'no-answer' })).toContain('was killed');
  });
  it('the trainer’s memory stands as planned beside as measured, with what was changed to fit', () => {
    const one = { role: 'policy', asked: 48, rows: 12, gradCheckpoint: true };
    const planned = [{ ...one, plannedBytes: { load: 8e9, update: 11.2e9, optimizer: 10e9 } }];
    const said = (...props: Parameters<typeof TrainerMemoryLine>): string => {
      const { container } = show(<TrainerMemoryLine {...props[0]} />);
      const text = [...container.querySelectorAll('span')].map((span) => span.textContent).join(' | ');
      cleanup();
      return text;
    };
    expect(said({ planned, measured: 10.9e9 })).toBe(
      'trainer planned 11.2 GB (gradients) · 12 of 48 rows at a time · layers computed again | measured 10.9 GB at most',
    );
    const roomy = {
      role: 'solver',
      asked: 8,
      rows: 8,
      gradCheckpoint: false,
      plannedBytes: { rollout: 1e9 },
    };
    expect(said({ planned: [roomy], measured: null })).toBe(
      'trainer planned 1.0 GB (answering) | not measured yet',
    );
    expect(said({ planned: [{ ...roomy, offloads: true }], measured: null })).toBe(
      'trainer planned 1.0 GB (answering) · one role in memory at a time | not measured yet',
    );
    expect(said({ planned: [roomy, { ...one, gradCheckpoint: false }], measured: null })).toBe(
      'solver: trainer planned 1.0 GB (answering) | policy: · 12 of 48 rows at a time | not measured yet',
    );
    expect(said({ planned: [{ ...roomy, systemInUser: true }], measured: null })).toBe(
      'trainer planned 1.0 GB (answering) · system texts stand before the first question, as its chat template has no place for them | not measured yet',
    );
    expect(said({ planned: [], measured: 1e9 })).toBe('');
  });
  it('a run says what its steps were said to take, what they took, and how busy the machine was each time', () => {
    const told = {
      steps: 3,
      of: 3,
      said: { low: 20.3, high: 20.3 },
      was: 22.4,
      measuredUnder: { others: 1.71, cores: 2 },
      saidUnder: { others: 0.42, cores: 2 },
      tookUnder: 1.6,
    };
    const said = (part: Partial<typeof told>, asksPerson = false): string => {
      const { container } = show(<SaidWas told={{ ...told, ...part }} asksPerson={asksPerson} />);
      const text = container.textContent ?? '';
      cleanup();
      return text;
    };
    expect(said({})).toBe(
      'said 20 s, was 22 sOf 2 processors everything else kept busy: 1.7 as it was measured, 0.4 as it was said, 1.6 during the steps.',
    );
    expect(said({ steps: 2, said: { low: 19, high: 72 } }, true)).toMatch(
      /^so far, 2 of 3 steps: said 19 s–1 min 12 s, was 22 s.*Waiting for a person’s answers is in what it was/,
    );
  });

  it('the cost of supervision adds up reviews by phase and keeps apart those that were not used', () => {
    show(
      <SupervisionCost
        costs={[
          {
            phase: 'plan',
            status: 'done',
            byPerson: false,
            reviews: 8,
            retries: 2,
            tokensIn: 100,
            tokensOut: 10,
            milliseconds: 4000,
          },
          {
            phase: 'plan',
            status: 'quarantined',
            byPerson: false,
            reviews: 2,
            retries: 0,
            tokensIn: 50,
            tokensOut: 5,
            milliseconds: 1000,
          },
          {
            phase: 'plan',
            status: 'done',
            byPerson: true,
            reviews: 2,
            retries: 0,
            tokensIn: 0,
            tokensOut: 0,
            milliseconds: 120_000,
          },
        ]}
      />,
    );
    expect(
      screen.getByText(
        '2 reviews by a person, 1 min 00 s each; that is no speed of the supervisor and not counted below.',
      ),
    ).toBeTruthy();
    expect(screen.getAllByRole('row')[1]?.textContent).toBe('plan102150 / 155.0 s0.50 s2');
  });

  it('the cost of reviews by rule has no tokens and no time, and says why', () => {
    const cost = { phase: 'exec', status: 'done', byPerson: false, reviews: 3, retries: 1 } as const;
    show(<SupervisionCost costs={[{ ...cost, tokensIn: 0, tokensOut: 0, milliseconds: 0 }]} />);
    expect(screen.getAllByRole('row')[1]?.textContent).toBe('exec31–––0');
    expect(screen.getByText(/–: by rules, without a model; such reviews are not timed\./)).toBeTruthy();
  });

  it('rates are shown of the stages a run has come to, and of all before its first step', () => {
    const rates = [
      { title: 'Solve rate', stage: 'question' },
      { title: 'Agreement', stage: 'label' },
    ] as const;
    const spans = [{ stage: 'question', iteration: 1, from: 1, to: 5, globalStep: 0, trains: true }];
    const titles = (steps: number[]): string[] => {
      const { container } = show(
        <Rates
          rows={[]}
          rates={rates}
          steps={steps}
          spans={spans}
          kept={null}
          range={null}
          search={{} as never}
          change={() => {}}
        />,
      );
      const found = [...container.querySelectorAll('h2')].map((head) => head.textContent ?? '');
      cleanup();
      return found;
    };
    expect(titles([1, 2, 3])).toEqual(['Solve rate']);
    expect(titles([])).toEqual(['Solve rate', 'Agreement']);
  });
});

describe('the supervisor of the step under way', () => {
  const queue = {
    step: 4,
    waiting: 12,
    answering: 4,
    answered: 30,
    failed: 1,
    skipped: 2,
    answerSeconds: 96,
    budgetLeftSeconds: 41,
    waitedSeconds: 0,
    waitsSince: null,
  };
  const said = (props: Partial<Parameters<typeof ReviewQueueLine>[0]> = {}): string => {
    show(
      <ReviewQueueLine queue={queue} waitedSeconds={0} usualSeconds={null} budgetSeconds={120} {...props} />,
    );
    const text = screen.getByRole('group', { name: 'Supervisor of the step under way' }).textContent ?? '';
    cleanup();
    return text;
  };

  it('is said with what waits, how fast it answers, what is left of its time and what the step lost', () => {
    expect(said({ usualSeconds: 2.9 })).toBe(
      'Supervisor, step 412 waiting4 being answered30 done3 given up3.2 s a review (2.9 s in the steps before)41 s of 2 min 00 s for reviews leftthe step waited 0.0 s for reviews',
    );
  });

  it('has nothing to say of reviews before the first, and of their time only what was measured', () => {
    const idle = { ...queue, waiting: 0, answering: 0, answered: 0, failed: 0, skipped: 0, answerSeconds: 0 };
    expect(said({ queue: idle })).toContain('no review was asked for in this step yet');
    expect(said({ queue: idle })).toContain('time of a review not measured yet');
    expect(said({ queue: idle, usualSeconds: 0.0042 })).toContain('4.2 ms a review in the steps before');
    expect(said({ queue: idle })).not.toContain('given up');
  });

  it('has no limit to speak of where the run sets none', () => {
    expect(said({ budgetSeconds: null, queue: { ...queue, budgetLeftSeconds: null } })).not.toContain('left');
  });

  it('holds the step up only while something is open', () => {
    const late = { ...queue, waitsSince: '2026-01-01T00:00:00.000Z' };
    expect(said({ queue: late, waitedSeconds: 14 })).toContain('the step waits for reviews: 14');
    expect(said({ queue: { ...late, waiting: 0, answering: 0 }, waitedSeconds: 14 })).toContain(
      'the step waited 14',
    );
  });
});
