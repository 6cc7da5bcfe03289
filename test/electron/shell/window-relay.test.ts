import { describe, expect, it } from 'vitest';
import { WindowRelay } from '../../../electron/shell/ipc.ts';

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
    relay.hear({ kind: 'socket', id: 1, what: 'message', text: 'b' });
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
  it('ends the connections of a page that was loaded anew', () => {
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
    relay.hear({ kind: 'socket', id: 1, what: 'message', text: 'late' });
    expect(page).toEqual(['open 1']);
  });
});
