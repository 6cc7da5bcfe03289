// @vitest-environment happy-dom
import { cleanup, fireEvent, screen } from '@testing-library/react';
import type { ComponentProps } from 'react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { DEFAULT_PREFERENCES } from '../../../../electron/contract/index.ts';
import {
  airGapSentence,
  commandIn,
  momentText,
  packagesMatching,
  selfTestSentence,
  type AirGap,
} from '../../../../renderer/rooms/settings/model.ts';
import { AirGapView } from '../../../../renderer/rooms/settings/air-gap.tsx';
import { AppearanceView } from '../../../../renderer/rooms/settings/appearance.tsx';
import { Packages } from '../../../../renderer/rooms/settings/settings-page.tsx';
import { Findings, GraphicsCards } from '../../../../renderer/rooms/settings/hardware.tsx';
import { DiskUse, RunsTable } from '../../../../renderer/rooms/settings/storage.tsx';
import { show } from '../../ui/show.tsx';

afterEach(cleanup);

const NOW = new Date('2026-11-20T12:00:00Z');
const state = (part: Partial<AirGap> = {}): AirGap => ({
  since: '2026-11-20T09:14:00.000Z',
  watch: { looks: 12, lastLook: '2026-11-20T11:59:58.000Z', everySeconds: 5, processes: 4, unreadable: 1 },
  outside: [],
  blocked: [],
  selfTest: null,
  chain: { seq: 9, head: 'cd'.repeat(32), count: 9 },
  selfTestObstacle: null,
  ...part,
});
const seen: AirGap['outside'][number] = {
  firstSeen: '2026-11-20T10:00:00.000Z',
  lastSeen: '',
  how: 'connected',
  process: 'python',
  pid: 7,
  protocol: 'tcp',
  local: { address: '10.0.0.2', port: 1 },
  remote: { address: '192.0.2.1', port: 443 },
};
const test: NonNullable<AirGap['selfTest']> = {
  at: '2026-11-19T10:00:00.000Z',
  passed: true,
  seconds: 90,
  programs: 12,
  outsideCount: 0,
  outside: [],
  controlSeen: true,
  strace: 'strace -- version 6.1',
};

describe('the sentence about the air gap', () => {
  it('is good only when something was watched and nothing was seen', () => {
    expect(airGapSentence(state(), NOW).tone).toBe('good');
    expect(airGapSentence(state({ watch: null }), NOW)).toMatchObject({
      id: 'settings.airgap.blind',
      tone: 'plain',
    });
    expect(airGapSentence(state({ outside: [seen] }), NOW)).toMatchObject({
      id: 'settings.airgap.some',
      tone: 'bad',
    });
    expect(airGapSentence(state({ outside: [seen], watch: null }), NOW).tone).toBe('bad');
  });

  it('about a self-test whose control did not show proves nothing', () => {
    const duration = (seconds: number): string => `${seconds} s`;
    expect(selfTestSentence(test, NOW, duration)).toMatchObject({
      id: 'settings.airgap.test.passed',
      tone: 'good',
    });
    expect(selfTestSentence({ ...test, controlSeen: false }, NOW, duration)).toMatchObject({
      id: 'settings.airgap.test.noControl',
      tone: 'bad',
    });
    expect(selfTestSentence({ ...test, outsideCount: 2 }, NOW, duration)).toMatchObject({
      id: 'settings.airgap.test.failed',
      tone: 'bad',
    });
    expect(selfTestSentence(null, NOW, duration).tone).toBe('plain');
  });

  it('names the day only when it is another one', () => {
    expect(momentText(NOW.toISOString(), NOW)).toMatch(/^\d\d:\d\d$/);
    expect(momentText('2026-11-01T10:00:00Z', NOW)).toMatch(/Nov/);
  });
});

describe('the air-gap page', () => {
  it('shows what was seen with its process and address, and what it cannot see', () => {
    show(
      <AirGapView
        state={state({ outside: [seen] })}
        isTesting={false}
        onTest={() => {}}
        onExport={() => {}}
        evidence={null}
        job={null}
      />,
    );
    expect(screen.getByText('192.0.2.1 443 tcp')).toBeTruthy();
    expect(screen.getByText('python (7)')).toBeTruthy();
    expect(screen.getByText(/1 of them could not be looked into/)).toBeTruthy();
    expect(screen.getByRole('heading', { name: 'What this cannot see' })).toBeTruthy();
  });

  it('says why the self-test cannot be made here, and offers it nowhere', () => {
    show(
      <AirGapView
        state={state({ selfTestObstacle: 'The self-test needs strace.' })}
        isTesting={false}
        onTest={() => {}}
        onExport={() => {}}
        evidence={null}
        job={null}
      />,
    );
    expect(screen.getByText('The self-test needs strace.')).toBeTruthy();
    expect((screen.getByRole('button', { name: 'Run the self-test' }) as HTMLButtonElement).disabled).toBe(
      true,
    );
  });
});

describe('the check of the parts', () => {
  it('gives the command of a fix to copy', () => {
    expect(commandIn('run "npm run setup" in the application folder')).toBe('npm run setup');
    expect(
      commandIn(
        'run: python3 -m venv "/lab/python" && "/lab/python/bin/python" -m pip install x (without a network add --no-index), or name another',
      ),
    ).toBe('python3 -m venv "/lab/python" && "/lab/python/bin/python" -m pip install x');
    expect(commandIn('on Debian or Ubuntu run "sudo apt-get install bubblewrap"; elsewhere')).toBe(
      'sudo apt-get install bubblewrap',
    );
    expect(commandIn('free at least 2 GB or use "another" disk')).toBeNull();
    show(
      <Findings
        findings={[
          { part: 'node', ok: true, detail: 'Node 24', fix: null },
          { part: 'python', ok: false, detail: 'it is missing', fix: 'run "npm run setup"' },
        ]}
      />,
    );
    expect(screen.getByRole('alert').textContent).toBe('1 part needs something, of 2.');
    expect(screen.getByRole('button', { name: 'Copy the command' })).toBeTruthy();
  });
});

describe('the graphics cards of the machine', () => {
  const card: NonNullable<ComponentProps<typeof GraphicsCards>['cards']>[number] = {
    index: 1,
    uuid: 'GPU-1',
    name: 'NVIDIA H200',
    busy: 0,
    memoryUsed: 0,
    memoryTotal: 150_000_000_000,
    celsius: null,
    watts: null,
    wattsLimit: null,
    isSplit: false,
    slowedBy: [],
  };

  it.each([
    ['each with its memory', { cards: [card], problem: null }, 'NVIDIA H200, card 1, 150 GB'],
    [
      'without a memory that nobody tells',
      { cards: [{ ...card, memoryTotal: null }], problem: null },
      'NVIDIA H200, card 1',
    ],
    [
      'or why there is none',
      { cards: [], problem: 'missing' as const },
      'No NVIDIA card is seen here: there is no nvidia-smi.',
    ],
    ['or that the driver has not answered', {}, 'nvidia-smi has not answered yet.'],
  ])('are listed, %s', (_, said, words) => {
    const { container } = show(<GraphicsCards {...said} />);
    expect(container.textContent).toBe(words);
  });
});

describe('storage', () => {
  const run = {
    id: 'a',
    name: 'big',
    state: 'done' as const,
    atWork: false,
    checkpoints: { count: 9, bytes: 9e9 },
    otherBytes: 1e6,
    droppable: { count: 7, bytes: 7e9 },
  };

  it('names every part of what a lab takes, with what is unfinished and whatever else lies in it', () => {
    const { container } = show(
      <DiskUse
        storage={{
          root: '/lab',
          free: 40e9,
          total: 100e9,
          database: 3e6,
          backups: 9e6,
          copies: 2e9,
          testSets: 7.8e6,
          sample: 25e6,
          strangers: 0,
          exports: 4e6,
          evidence: 5000,
          logs: 6e6,
          unfinished: 8e6,
          other: 1.5e9,
          runs: [run],
        }}
      />,
    );
    screen.getByText('40.0 GB of 100 GB free where the lab lies (/lab)');
    const said = (tag: string) => [...container.querySelectorAll(tag)].map(({ textContent }) => textContent);
    expect(said('dt').map((part, at) => [part, said('dd')[at]])).toEqual([
      ['Database', '3.0 MB'],
      ['Runs', '9.0 GB'],
      ['Copied models and data sets', '2.0 GB'],
      ['Test sets for evaluations', '7.8 MB'],
      ['Recorded sample', '25.0 MB'],
      ['Exports in the lab', '4.0 MB'],
      ['Evidence and audits', '5.0 kB'],
      ['Logs', '6.0 MB'],
      ['Backups', '9.0 MB'],
      ['Unfinished: being written, or left by a program that was killed', '8.0 MB'],
      ['Everything else in the lab', '1.5 GB'],
    ]);
  });

  it('names folders of runs that the database does not know, where there are any', () => {
    const nothing = { root: '/lab', free: 1, total: 2, database: 0, backups: 0, copies: 0, testSets: 0 };
    const none = { sample: 0, exports: 0, evidence: 0, logs: 0, unfinished: 0, other: 0 };
    show(<DiskUse storage={{ ...nothing, ...none, strangers: 5e6, runs: [] }} />);
    const part = screen.getByText('Folders of runs that the database does not know');
    expect(part.nextElementSibling?.textContent).toBe('5.0 MB');
  });

  it('frees gigabytes only after the name was typed, and says what stays', () => {
    const onFree = vi.fn();
    show(<RunsTable runs={[run]} onFree={onFree} />);
    fireEvent.click(screen.getByRole('button', { name: 'Free 7.0 GB…' }));
    expect(screen.getByText(/The first, the newest and those you asked to keep stay/)).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Delete the checkpoints' }));
    expect(onFree).not.toHaveBeenCalled();
    fireEvent.change(screen.getByLabelText('big'), { target: { value: 'big' } });
    fireEvent.click(screen.getByRole('button', { name: 'Delete the checkpoints' }));
    expect(onFree).toHaveBeenCalledWith('a');
  });

  it('touches no run that is at work', () => {
    show(<RunsTable runs={[{ ...run, atWork: true }]} onFree={() => {}} />);
    expect((screen.getByRole('button', { name: 'Free 7.0 GB…' }) as HTMLButtonElement).disabled).toBe(true);
  });
});

describe('appearance', () => {
  it('changes one thing at a time', () => {
    const onChange = vi.fn();
    show(<AppearanceView preferences={DEFAULT_PREFERENCES} onChange={onChange} />);
    fireEvent.click(screen.getByRole('radio', { name: 'Dark' }));
    fireEvent.click(screen.getByRole('radio', { name: 'Reduced' }));
    expect(onChange.mock.calls).toEqual([[{ theme: 'dark' }], [{ motion: 'reduced' }]]);
  });
});

describe('the packages', () => {
  const packages = [
    { name: 'react', version: '19', licence: 'MIT', text: 'the text' },
    { name: 'yallist', version: '5', licence: 'BlueOak-1.0.0', text: null },
  ];

  it('are found by name or licence, and a filter that finds none can be lifted', () => {
    expect(packagesMatching(packages, 'blue oak').map(({ name }) => name)).toEqual(['yallist']);
    show(<Packages packages={packages} />);
    fireEvent.change(screen.getByLabelText('Find a package or licence'), { target: { value: 'nothing' } });
    fireEvent.click(screen.getByRole('button', { name: 'Clear the filter' }));
    fireEvent.click(screen.getByRole('button', { name: /^MIT.*react/ }));
    expect(screen.getByText('the text')).toBeTruthy();
  });
});
