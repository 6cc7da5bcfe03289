import type { IpcMain } from 'electron';
import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import {
  IpcGuard,
  PAGE_RATES,
  serveBridge,
  WindowRelay,
  type BridgeActs,
  type Speaker,
} from '../../../electron/shell/ipc.ts';
import { guardOf, SPEAKERS } from './probes.ts';

function scene() {
  const engine: string[] = [];
  const page: string[] = [];
  const relay = new WindowRelay({
    toEngine: (message) =>
      void engine.push(
        message.kind === 'socket'
          ? `${message.what} ${message.id}${'text' in message ? ` ${message.text}` : ''}`
          : message.kind,
      ),
    toPage: (id, kind, data) => void page.push(`${kind} ${id}${data === undefined ? '' : ` ${data}`}`),
  });
  return { relay, engine, page };
}

describe('the relay between page and engine', () => {
  it('carries both ways, by numbers of its own', () => {
    const { relay, engine, page } = scene();
    relay.engineReady();
    relay.open(4);
    relay.send(4, 'a');
    relay.receive({ kind: 'socket', id: 1, what: 'message', text: 'b' });
    relay.close(4);
    expect([engine, page]).toEqual([
      ['open 1', 'message 1 a', 'close 1'],
      ['open 4', 'message 4 b'],
    ]);
  });
  it('lets a connection wait while the engine starts', () => {
    const { relay, engine, page } = scene();
    relay.open(1);
    expect([engine, page]).toEqual([[], []]);
    relay.engineReady();
    expect([engine, page]).toEqual([['open 1'], ['open 1']]);
  });
  it('closes every connection when the engine is gone, so that the page comes back', () => {
    const { relay, engine, page } = scene();
    relay.engineReady();
    relay.open(1);
    relay.open(2);
    relay.engineGone();
    relay.send(1, 'lost');
    expect(page).toEqual(['open 1', 'open 2', 'close 1', 'close 2']);
    expect(engine).toEqual(['open 1', 'open 2']);
  });
  it('ends the connections of a page that was loaded again', () => {
    const { relay, engine } = scene();
    relay.engineReady();
    relay.open(1);
    relay.forgetPage();
    relay.open(1);
    expect(engine).toEqual(['open 1', 'close 1', 'open 2']);
  });
  it('gives a page no number twice and no more than eight connections', () => {
    const { relay, page } = scene();
    relay.engineReady();
    for (let id = 1; id <= 9; id += 1) relay.open(id);
    relay.open(3);
    expect(page.filter((line) => line.startsWith('close'))).toEqual(['close 9', 'close 3']);
  });
  it('tells the page nothing of a connection that it has closed', () => {
    const { relay, page } = scene();
    relay.engineReady();
    relay.open(1);
    relay.close(1);
    relay.receive({ kind: 'socket', id: 1, what: 'message', text: 'late' });
    expect(page).toEqual(['open 1']);
  });
});

describe('a page that asks for connections too often', () => {
  const { burst } = PAGE_RATES['engine:open'];
  /** The page's channels as Electron has them, through guard and relay. */
  function bridge() {
    const { relay, engine, page } = scene();
    const { guard, pass } = guardOf({ IpcGuard });
    const main = Object.assign(new EventEmitter(), { handle: () => {} });
    serveBridge(main as unknown as IpcMain, guard, relay, {} as BridgeActs);
    relay.engineReady();
    const says = (who: string, channel: string, ...words: unknown[]): void =>
      void main.emit(channel, SPEAKERS[who] satisfies Speaker | undefined, ...words);
    for (let id = 1; id <= burst; id += 1) {
      says('ours', 'engine:open', id);
      says('ours', 'engine:close', id);
    }
    page.length = 0;
    engine.length = 0;
    return { says, pass, page, engine };
  }

  it('is told that the one which is refused is closed, so that it does not wait for it, and gets a later one', () => {
    const { says, pass, page, engine } = bridge();
    says('ours', 'engine:open', 50);
    expect([page, engine]).toEqual([['close 50'], []]);
    pass(1000);
    says('ours', 'engine:open', 51);
    expect(page).toEqual(['close 50', 'open 51']);
  });

  it('is told nothing of words that name no connection, nor of what a stranger asked', () => {
    const { says, page } = bridge();
    says('ours', 'engine:open', 'x');
    for (const who of Object.keys(SPEAKERS).filter((name) => name !== 'ours')) says(who, 'engine:open', 60);
    expect(page).toEqual([]);
  });
});
