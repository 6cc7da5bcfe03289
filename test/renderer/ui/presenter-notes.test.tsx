// @vitest-environment happy-dom
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { PresenterButtons, usePresentedNotes } from '../../../renderer/ui/index.ts';
import { show } from './show.tsx';

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const notes = (part: string) => ({ title: part, text: `Say this of ${part}.`, next: 'Then the price.' });

function Presented({ part, onNotes = () => {} }: { part: string; onNotes?: () => void }) {
  return <PresenterButtons present onPresent={() => {}} notes={notes(part)} onNotes={onNotes} />;
}

function Speaker() {
  const told = usePresentedNotes();
  return <output>{told === null ? 'waiting' : told.text}</output>;
}

describe('presenter notes', () => {
  it('go to a window of their own, and the presented one shows nothing', () => {
    const onNotes = vi.fn();
    show(<Presented part="the figure" onNotes={onNotes} />);
    fireEvent.click(screen.getByRole('button', { name: 'Notes' }));
    expect(onNotes).toHaveBeenCalledOnce();
    expect(screen.queryByText(/Say this/)).toBeNull();
  });

  it('follow what is presented, for a window that opens later as well, and take no other message', async () => {
    const { rerender } = show(<Presented part="the figure" />);
    show(<Speaker />);
    const said = () => document.querySelector('output')?.textContent;
    await waitFor(() => expect(said()).toBe('Say this of the figure.'));
    rerender(<Presented part="the cause" />);
    await waitFor(() => expect(said()).toBe('Say this of the cause.'));
    const other = new BroadcastChannel('anchor-notes');
    // A channel reaches windows of this origin only and takes no target.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    other.postMessage({ title: 1, text: 'not of this form' });
    rerender(<Presented part="the price" />);
    await waitFor(() => expect(said()).toBe('Say this of the price.'));
    other.close();
  });
});
