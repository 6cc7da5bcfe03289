import type { IpcMain, WebContents } from 'electron';
import type { EngineState, OfferedCommand, PathRequest, SaveRequest } from '../../contract/index.ts';
import type { WindowRelay } from '../engine/window-relay.ts';
import type { PageChannel, PageWords, ShellChannel } from './channels.ts';
import type { IpcGuard, Speaker } from './guard.ts';

/** What the page can have done; one entry per channel beside the engine's. */
export type BridgeActs = {
  engineState(): EngineState;
  restartEngine(): void;
  offerCommands(commands: OfferedCommand[]): void;
  choosePaths(request: PathRequest): Promise<string[]>;
  saveText(request: SaveRequest): Promise<string | null>;
  copyText(text: string): void;
};

/** Listens on the page's channels, each through the guard; a refused question gets an error without details. */
export function serveBridge(ipcMain: IpcMain, guard: IpcGuard, relay: WindowRelay, acts: BridgeActs): void {
  const hear = <C extends PageChannel>(channel: C, act: (...words: PageWords<C>) => void): void => {
    ipcMain.on(channel, (event, ...args) => {
      const verdict = guard.admit(channel, event satisfies Speaker, args);
      if (verdict.ok) act(...verdict.words);
    });
  };
  const answer = <C extends PageChannel>(channel: C, act: (...words: PageWords<C>) => unknown): void => {
    ipcMain.handle(channel, (event, ...args) => {
      const verdict = guard.admit(channel, event satisfies Speaker, args);
      if (!verdict.ok) throw new Error('refused');
      return act(...verdict.words);
    });
  };
  hear('engine:open', (id) => relay.open(id));
  hear('engine:send', (id, text) => relay.send(id, text));
  hear('engine:close', (id) => relay.close(id));
  hear('engine:restart', () => acts.restartEngine());
  hear('commands:offer', (commands) => acts.offerCommands(commands));
  answer('engine:state', () => acts.engineState());
  answer('paths:choose', (request) => acts.choosePaths(request));
  answer('text:save', (request) => acts.saveText(request));
  answer('text:copy', (text) => acts.copyText(text));
}

/** Says something to the page, if it is there. */
export function say(contents: WebContents | null, channel: ShellChannel, ...words: unknown[]): void {
  if (contents !== null && !contents.isDestroyed()) contents.send(channel, ...words);
}
