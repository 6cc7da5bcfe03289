import { useEffect, useEffectEvent } from 'react';
import { create } from 'zustand';
import { tinykeys } from 'tinykeys';

/** Something a person can do here and now: in the palette, on the sheet of shortcuts and on its key. */
export type Command = {
  /** Unique: `room.verb`. */
  id: string;
  /** As the palette shows it. */
  title: string;
  /** tinykeys syntax: `j`, `g r`, `$mod+k`; null for palette only. */
  keys: string | null;
  /** Heading on the sheet; the room's name or the frame. */
  group: string;
  run: () => void;
};

type Registry = { commands: Command[]; add(command: Command): () => void };

export const useCommands = create<Registry>((set) => ({
  commands: [],
  add: (command) => {
    set(({ commands }) => ({ commands: [...commands, command] }));
    return () => set(({ commands }) => ({ commands: commands.filter((other) => other !== command) }));
  },
}));

/** Offers a command while the component is there. Of two with the same key, the one added last answers. */
export function useCommand({ id, title, keys, group, run }: Command, enabled = true): void {
  const act = useEffectEvent(run);
  useEffect(() => {
    if (!enabled) return;
    return useCommands.getState().add({ id, title, keys, group, run: () => act() });
  }, [id, title, keys, group, enabled]);
}

/** Whether a key press belongs to what a person is writing or choosing in. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable ||
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement ||
    (target instanceof HTMLInputElement && !['checkbox', 'radio', 'button', 'range'].includes(target.type))
  );
}

/** Keys that work even while typing: those with a modifier that types nothing. Shift is none of them: `Shift+?` is how a question mark is written. */
const hasModifier = (keys: string): boolean =>
  keys.split(' ').some((press) => /(^|\+)(\$mod|Control|Alt|Meta)\+/.test(press));

/** Enter and the space bar press the button that has the focus, whatever else they mean on the screen. */
function isPressing({ key, target }: KeyboardEvent): boolean {
  return (
    (key === 'Enter' || key === ' ') &&
    target instanceof HTMLElement &&
    target.closest('button, a[href], summary, [role="button"], input') !== null
  );
}

/** Keys do nothing in what lies below an open dialog or menu: the Escape that closes it closes no more than that. */
const isInDialog = ({ target }: KeyboardEvent): boolean =>
  target instanceof HTMLElement &&
  target.closest('[role="dialog"], [role="alertdialog"], [role="menu"]') !== null;

/** By key, the command added last. */
export function bindings(commands: readonly Command[]): Map<string, Command> {
  return new Map(
    commands.flatMap((command) => (command.keys === null ? [] : [[command.keys, command] as const])),
  );
}

/** Whether a key press is the command's: not one that a control on the page has used or needs for itself. */
function isFor(keys: string, event: KeyboardEvent): boolean {
  if (event.defaultPrevented) return false;
  return hasModifier(keys) || !(isTyping(event.target) || isPressing(event) || isInDialog(event));
}

/**
 * Presses that are no commands at all: a key that is held down (one press, one decision), a word being composed, and what is
 * typed, so that its letters begin no sequence either.
 */
const isIgnored = (event: KeyboardEvent): boolean =>
  event.repeat ||
  event.isComposing ||
  (isTyping(event.target) && !event.ctrlKey && !event.metaKey && !event.altKey);

/** Sequences get a key before single keys do, so that the `r` of `g r` is not the `r` of another command as well. */
const listensAt = (keys: string): HTMLElement | Window =>
  keys.includes(' ') ? document.documentElement : window;

/**
 * Binds the keys of all commands while the window is open. Each key is bound by itself and stays bound while any command has it,
 * so that a sequence that was begun (`g`, then `r`) is not forgotten when a room adds its commands in between.
 */
export function useKeys(): void {
  useEffect(() => {
    const bound = new Map<string, () => void>();
    const bind = (keys: string): (() => void) =>
      tinykeys(
        listensAt(keys),
        {
          [keys]: (event: KeyboardEvent) => {
            const command = bindings(useCommands.getState().commands).get(keys);
            if (command === undefined || !isFor(keys, event)) return;
            event.preventDefault();
            command.run();
          },
        },
        { ignore: isIgnored },
      );
    const follow = (commands: readonly Command[]): void => {
      const wanted = bindings(commands);
      for (const [keys, unbind] of bound)
        if (!wanted.has(keys)) {
          unbind();
          bound.delete(keys);
        }
      for (const keys of wanted.keys()) if (!bound.has(keys)) bound.set(keys, bind(keys));
    };
    follow(useCommands.getState().commands);
    const stop = useCommands.subscribe(({ commands }) => follow(commands));
    return () => {
      stop();
      for (const unbind of bound.values()) unbind();
    };
  }, []);
}
