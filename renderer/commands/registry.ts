import { useEffect, useEffectEvent } from 'react';
import { create } from 'zustand';

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
