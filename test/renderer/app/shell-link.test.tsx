// @vitest-environment happy-dom
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { MantineProvider } from '@mantine/core';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AnchorBridge, EngineState, OfferedCommand } from '../../../electron/contract/index.ts';
import { useCommands } from '../../../renderer/commands/index.ts';
import { MessagesProvider } from '../../../renderer/i18n/index.ts';

const offered: OfferedCommand[][] = [];
let choose: (id: string) => void = () => {};
let tell: (state: EngineState) => void = () => {};
let restarts = 0;

/** The shell as the page sees it. */
const anchor: Partial<AnchorBridge> = {
  offerCommands: (commands) => void offered.push(commands),
  onCommand: (run) => {
    choose = run;
  },
  onEngineState: (hear) => {
    tell = hear;
  },
  restartEngine: () => {
    restarts += 1;
  },
  copyText: () => Promise.resolve(),
};

let ShellLink: (props: { children: React.ReactNode }) => React.ReactNode;
beforeAll(async () => {
  Object.assign(globalThis, { anchor });
  ({ ShellLink } = await import('../../../renderer/app/frame.tsx'));
});
beforeEach(() => {
  vi.useFakeTimers();
  offered.length = 0;
  render(
    <MantineProvider>
      <MessagesProvider>
        <ShellLink>
          <p>how the connection stands</p>
        </ShellLink>
      </MessagesProvider>
    </MantineProvider>,
  );
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

function add(id: string, run: () => void): () => void {
  let takeBack = (): void => {};
  act(() => {
    takeBack = useCommands.getState().add({ id, title: id, keys: '$mod+k', group: 'Runs', run });
  });
  return takeBack;
}
const settle = (): void =>
  act(() => {
    vi.advanceTimersByTime(500);
  });

describe('the menu of the desktop', () => {
  it('is told once what the screen offers, however many commands come', () => {
    for (const id of ['a', 'b', 'c']) add(id, () => {});
    settle();
    expect(offered).toEqual([
      ['a', 'b', 'c'].map((id) => ({ id, title: id, keys: '$mod+k', group: 'Runs' })),
    ]);
  });
  it('is told when the screen changes', () => {
    const takeBack = add('later', () => {});
    settle();
    act(() => takeBack());
    settle();
    expect(offered.map((commands) => commands.some(({ id }) => id === 'later'))).toEqual([true, false]);
  });
  it('runs the command that was added last under a name, and nothing that is gone', () => {
    const ran: string[] = [];
    add('same', () => ran.push('first'));
    const takeBack = add('same', () => ran.push('second'));
    choose('same');
    act(() => takeBack());
    choose('same');
    choose('gone');
    expect(ran).toEqual(['second', 'first']);
  });
});

describe('the engine of the desktop', () => {
  it('is not spoken of while it is well', () => {
    act(() => tell({ state: 'ready', sentence: null, restarts: 0 }));
    expect(screen.queryByRole('alert')).toBeNull();
    expect(screen.queryByRole('button')).toBeNull();
    expect(screen.getByText('how the connection stands')).toBeTruthy();
  });
  it('that died and was started again is told until the person has read it', () => {
    act(() => tell({ state: 'ready', sentence: 'It died once.', restarts: 1 }));
    expect(screen.getByText('It died once.')).toBeTruthy();
    fireEvent.click(screen.getByRole('button'));
    expect(screen.queryByText('It died once.')).toBeNull();
    act(() => tell({ state: 'ready', sentence: 'It died twice.', restarts: 2 }));
    expect(screen.getByText('It died twice.')).toBeTruthy();
  });
  it('that is being started again is told once, not as a lost connection besides', () => {
    act(() => tell({ state: 'restarting', sentence: 'It died and is started again.', restarts: 1 }));
    expect(screen.getByText('It died and is started again.')).toBeTruthy();
    expect(screen.queryByText('how the connection stands')).toBeNull();
  });
  it('that cannot be started says why and can be tried again', () => {
    act(() => tell({ state: 'failed', sentence: 'Another program has the lab open.', restarts: 0 }));
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect([screen.getByText('Another program has the lab open.').textContent, restarts]).toEqual([
      'Another program has the lab open.',
      1,
    ]);
  });
});
