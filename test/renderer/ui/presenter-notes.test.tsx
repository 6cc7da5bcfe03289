// @vitest-environment happy-dom
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Notes, PresenterButtons, usePresentedNotes } from '../../../renderer/ui/index.ts';
import { show } from './show.tsx';

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const notes = (part: string) => ({ title: part, text: `Say this of ${part}.`, next: 'Then the price.' });

function Presented({
  part,
  hasOneWindow,
  onRefused = () => {},
}: {
  part: string;
  hasOneWindow: boolean;
  onRefused?: (sentence: string) => void;
}) {
  const [isShown, setShown] = useState(false);
  return (
    <>
      <PresenterButtons
        present
        onPresent={() => {}}
        notes={notes(part)}
        hasOneWindow={hasOneWindow}
        isShown={isShown}
        onShown={setShown}
        onRefused={onRefused}
      />
      {isShown && <Notes notes={notes(part)} />}
    </>
  );
}

function Speaker() {
  const told = usePresentedNotes();
  return <output>{told === null ? 'waiting' : told.text}</output>;
}

describe('presenter notes', () => {
  it('stand in the one window of the desktop only while they are asked for', () => {
    show(<Presented part="the figure" hasOneWindow />);
    expect(screen.queryByText(/Say this/)).toBeNull();
    const button = screen.getByRole('button', { name: 'Notes', pressed: false });
    fireEvent.click(button);
    expect(screen.getByText('Say this of the figure.')).toBeTruthy();
    fireEvent.click(button);
    expect(screen.queryByText(/Say this/)).toBeNull();
  });

  it('go to a second window where there can be one, and the first shows nothing', () => {
    const open = vi.spyOn(window, 'open').mockReturnValue({} as Window);
    const onRefused = vi.fn();
    show(<Presented part="the figure" hasOneWindow={false} onRefused={onRefused} />);
    fireEvent.click(screen.getByRole('button', { name: 'Notes' }));
    expect(open.mock.calls[0]?.[0]).toMatch(/#\/demo\/notes$/);
    expect(screen.queryByText(/Say this/)).toBeNull();
    open.mockReturnValue(null);
    fireEvent.click(screen.getByRole('button', { name: 'Notes' }));
    expect(onRefused).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('opened no second window'));
  });

  it('follow what is presented, for a window that opens later as well, and take no other message', async () => {
    const { rerender } = show(<Presented part="the figure" hasOneWindow={false} />);
    show(<Speaker />);
    const said = () => document.querySelector('output')?.textContent;
    await waitFor(() => expect(said()).toBe('Say this of the figure.'));
    rerender(<Presented part="the cause" hasOneWindow={false} />);
    await waitFor(() => expect(said()).toBe('Say this of the cause.'));
    const other = new BroadcastChannel('anchor-notes');
    // A channel reaches windows of this origin only and takes no target.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    other.postMessage({ title: 1, text: 'not of this form' });
    rerender(<Presented part="the price" hasOneWindow={false} />);
    await waitFor(() => expect(said()).toBe('Say this of the price.'));
    other.close();
  });
});
