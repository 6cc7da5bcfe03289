import { useState, type DragEvent, type FormEvent } from 'react';
import { bridge } from './host.ts';

type Asked = {
  /** What stands there at first. */ path: string;
  title: string;
  extensions: readonly string[];
  onLook: (path: string) => void;
};

type PathChoice = {
  text: string;
  setText: (text: string) => void;
  submit: (event: FormEvent) => void;
  /** Opens the system's dialog; null in a tab of a browser, which has none for paths. */
  choose: ((kind: 'file' | 'folder') => void) | null;
  /** For the element that takes what is dropped. */
  target: {
    'data-over': boolean;
    onDragOver: (event: DragEvent) => void;
    onDragLeave: () => void;
    onDrop: (event: DragEvent) => void;
  };
  /** Something was dropped whose path a browser does not reveal to a tab. */
  isWithoutPath: boolean;
};

/** A path of this machine: typed, chosen in the system's dialog, or dropped. `onLook` gets the path that a person settled on. */
export function usePathChoice({ path, title, extensions, onLook }: Asked): PathChoice {
  const [text, setText] = useState(path);
  const [isOver, setOver] = useState(false);
  const [isWithoutPath, setWithoutPath] = useState(false);
  const take = (wanted: string): void => {
    setText(wanted);
    setWithoutPath(false);
    if (wanted !== '') onLook(wanted);
  };
  const chooseFrom = async (shell: NonNullable<typeof bridge>, kind: 'file' | 'folder'): Promise<void> => {
    const [chosen] = await shell.choosePaths({
      kind,
      many: false,
      title,
      extensions: kind === 'file' ? [...extensions] : [],
    });
    if (chosen !== undefined) take(chosen);
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    const [file] = event.dataTransfer.files;
    if (file === undefined) return;
    if (bridge === null) setWithoutPath(true);
    else take(bridge.pathOf(file));
  };
  return {
    text,
    setText,
    isWithoutPath,
    choose: bridge === null ? null : (kind) => void chooseFrom(bridge as NonNullable<typeof bridge>, kind),
    submit: (event) => {
      event.preventDefault();
      take(text.trim());
    },
    target: {
      'data-over': isOver,
      onDragOver: (event) => {
        event.preventDefault();
        setOver(true);
      },
      onDragLeave: () => setOver(false),
      onDrop: drop,
    },
  };
}
