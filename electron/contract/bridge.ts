import { z } from 'zod';

/** How the engine's own process is doing, as the desktop shell sees it. `restarts` counts those since the window was opened. */
const engineStateSchema = z.strictObject({
  state: z.enum(['starting', 'ready', 'restarting', 'failed']),
  /** What happened and what to do; null while there is nothing to tell. */
  sentence: z.string().nullable(),
  restarts: z.int().nonnegative(),
});
export type EngineState = z.infer<typeof engineStateSchema>;

/** A question for the system's dialog of files or folders. */
export const pathRequestSchema = z.strictObject({
  kind: z.enum(['file', 'folder']),
  many: z.boolean(),
  title: z.string().max(200),
  extensions: z.array(z.string().regex(/^[A-Za-z0-9]{1,12}$/)).max(20),
});
export type PathRequest = z.infer<typeof pathRequestSchema>;

/** A text that a person wants as a file: a figure, a table, evidence. `name` is proposed and never a path. */
export const saveRequestSchema = z.strictObject({
  name: z.string().regex(/^[^\\/:*?"<>|\p{Cc}]{1,120}$/u),
  text: z.string().max(900_000),
});
export type SaveRequest = z.infer<typeof saveRequestSchema>;

/** A command that the menu may offer now. `keys` is written as the window's registry writes it; null for none. */
export const offeredCommandSchema = z.strictObject({
  id: z.string().regex(/^[\w.:-]{1,80}$/),
  title: z.string().min(1).max(200),
  keys: z.string().max(40).nullable(),
  group: z.string().min(1).max(80),
});
export type OfferedCommand = z.infer<typeof offeredCommandSchema>;

/** What the desktop shell offers its page under `window.anchor`; a browser tab has none of it. */
export type AnchorBridge = {
  /** Opens a connection to the engine; `onEvent` is called on its opening, its messages and its end. */
  connect(onEvent: (kind: 'open' | 'message' | 'close', data?: string) => void): {
    send(data: string): void;
    close(): void;
  };
  /** Asks for files or folders in the system's dialog; an empty list when the person cancels. */
  choosePaths(what: PathRequest): Promise<string[]>;
  /** Asks where to and writes the text there; null when the person cancels, else the path. */
  saveText(what: SaveRequest): Promise<string | null>;
  /** Puts text on the system's clipboard. */
  copyText(text: string): Promise<void>;
  /** The path behind a dropped file; empty for one that is no file of this machine. */
  pathOf(file: File): string;
  /** Called for menu entries that the person chose, by command id. */
  onCommand(run: (id: string) => void): void;
  /** Says to the shell which commands its menu may offer now. */
  offerCommands(commands: OfferedCommand[]): void;
  /** Called with how the engine's process is doing, first of all its present state. */
  onEngineState(listener: (state: EngineState) => void): void;
  /** Starts the engine again after it has failed for good. */
  restartEngine(): void;
  /** Opens the second window, with the presenter's notes, or brings it to the front. */
  openNotes(): void;
};
