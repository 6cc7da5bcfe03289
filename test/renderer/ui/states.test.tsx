// @vitest-environment happy-dom
import { cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  ConfirmButton,
  EmptyState,
  NoMatch,
  PhaseChip,
  QueryState,
  StatusDot,
  Term,
  type Problem,
} from '../../../renderer/ui/index.ts';
import { PHASES, runStateSchema } from '../../../electron/contract/index.ts';
import { show } from './show.tsx';

afterEach(cleanup);

const problemOf = (error: unknown): Problem => ({
  sentence: (error as Error).message,
  details: 'the details',
});
const readState = (data: string | undefined, error: Error | null, refetch = vi.fn<() => void>()) => ({
  refetch,
  view: show(
    <QueryState
      read={{ data, error, isPending: data === undefined && error === null, refetch }}
      problemOf={problemOf}
    >
      {(text) => <p>{text}</p>}
    </QueryState>,
  ),
});

describe('a read', () => {
  it('under way says that it loads, for ears too', () => {
    readState(undefined, null);
    expect(screen.getByRole('status').textContent).toContain('Loading');
  });

  it('that failed with nothing to show is a full panel with the cause, a retry and the details to copy', () => {
    const { refetch } = readState(undefined, new Error('The disk is full.'));
    expect(screen.getByRole('alert').textContent).toContain('The disk is full.');
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(refetch).toHaveBeenCalledOnce();
    expect(screen.getByRole('button', { name: 'Copy details' })).toBeTruthy();
  });

  it('that failed above old content leaves the content and adds a line', () => {
    const { view } = readState('old rows', new Error('The disk is full.'));
    expect(view.container.textContent).toContain('old rows');
    expect(screen.getByRole('status').textContent).toContain(
      'what you see is from before. The disk is full.',
    );
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('that came shows its content alone', () => {
    expect(readState('rows', null).view.container.textContent).toBe('rows');
  });
});

describe('no content', () => {
  it('because of a filter shows the filter and lifts it', () => {
    const onClear = vi.fn<() => void>();
    show(<NoMatch title="No run matches" filter="state: failed" onClear={onClear} />);
    expect(screen.getByText('state: failed')).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Clear the filter' }));
    expect(onClear).toHaveBeenCalledOnce();
  });

  it('at all offers its doors', () => {
    show(
      <EmptyState title="No runs yet" text="A run is…">
        <button type="button">New run</button>
      </EmptyState>,
    );
    expect(screen.getByRole('heading', { name: 'No runs yet' })).toBeTruthy();
    expect(screen.getByRole('button', { name: 'New run' })).toBeTruthy();
  });
});

describe('a destructive action', () => {
  const confirm = (typed?: { word: string; label: string }): ReturnType<typeof vi.fn> => {
    const onConfirm = vi.fn<() => void>();
    show(
      <ConfirmButton
        label="Delete"
        title="Delete run-1?"
        consequence="Deletes 41 GB of checkpoints."
        confirm="Delete it"
        typed={typed}
        onConfirm={onConfirm}
      />,
    );
    fireEvent.click(screen.getByRole('button', { name: 'Delete' }));
    return onConfirm;
  };

  it('names its consequence and does nothing until it is confirmed', () => {
    const onConfirm = confirm();
    expect(screen.getByText('Deletes 41 GB of checkpoints.')).toBeTruthy();
    expect(onConfirm).not.toHaveBeenCalled();
    fireEvent.click(screen.getByRole('button', { name: 'Delete it' }));
    expect(onConfirm).toHaveBeenCalledOnce();
  });

  it('can be left', () => {
    const onConfirm = confirm();
    fireEvent.click(screen.getByRole('button', { name: 'Cancel' }));
    expect(onConfirm).not.toHaveBeenCalled();
  });

  it('that cannot be undone asks for the word first', () => {
    const onConfirm = confirm({ word: 'run-1', label: 'Type run-1' });
    const button = screen.getByRole('button', { name: 'Delete it' });
    fireEvent.click(button);
    expect([onConfirm.mock.calls.length, (button as HTMLButtonElement).disabled]).toEqual([0, true]);
    fireEvent.change(screen.getByLabelText('Type run-1'), { target: { value: 'run-1' } });
    fireEvent.click(screen.getByRole('button', { name: 'Delete it' }));
    expect(onConfirm).toHaveBeenCalledOnce();
  });
});

describe('marks', () => {
  it('of every state and phase are words, not colours alone', () => {
    for (const state of runStateSchema.options)
      expect(show(<StatusDot state={state} />).container.textContent).toMatch(/\w{4,}/);
    for (const phase of PHASES)
      expect(show(<PhaseChip phase={phase} />).container.textContent).toMatch(/\w{4,}/);
  });

  it('of output and exec cannot be mistaken for one another', () => {
    expect([
      show(<PhaseChip phase="output" />).container.textContent,
      show(<PhaseChip phase="exec" />).container.textContent,
    ]).toEqual(['Answer text (output)', 'Verifier result (exec)']);
  });

  it('of a term are reached by the keyboard', () => {
    show(<Term id="asr" />);
    expect(screen.getByRole('button', { name: 'ASR' })).toBeTruthy();
  });
});
