// @vitest-environment happy-dom
import { act, cleanup, fireEvent, render } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  bindings,
  isTyping,
  useCommand,
  useCommands,
  useKeys,
  type Command,
} from '../../../renderer/commands/index.ts';

let ran: string[] = [];
beforeEach(() => {
  ran = [];
});
afterEach(() => {
  cleanup();
  expect(useCommands.getState().commands).toEqual([]); // what is unmounted is offered no more
});

function Offer({ id, keys, enabled }: { id: string; keys: string | null; enabled?: boolean }) {
  useCommand({ id, title: id, keys, group: 'test', run: () => ran.push(id) }, enabled);
  return null;
}

function Keys() {
  useKeys();
  return null;
}

const press = (key: string, target: Element = document.body, more: Record<string, unknown> = {}): void => {
  act(() => {
    fireEvent.keyDown(target, { key, code: /^[a-z]$/.test(key) ? `Key${key.toUpperCase()}` : key, ...more });
  });
};

describe('keys', () => {
  it('run the command they belong to', () => {
    render(
      <>
        <Keys />
        <Offer id="open" keys="o" />
      </>,
    );
    press('o');
    expect(ran).toEqual(['open']);
  });

  it('of two commands belong to the one that came last, and go back when it leaves', () => {
    const { rerender } = render(
      <>
        <Keys />
        <Offer id="page" keys="j" />
      </>,
    );
    rerender(
      <>
        <Keys />
        <Offer id="page" keys="j" />
        <Offer id="list" keys="j" />
      </>,
    );
    press('j');
    rerender(
      <>
        <Keys />
        <Offer id="page" keys="j" />
      </>,
    );
    press('j');
    expect(ran).toEqual(['list', 'page']);
  });

  it('pressed one after another are one command', () => {
    render(
      <>
        <Keys />
        <Offer id="runs" keys="g r" />
      </>,
    );
    press('g');
    press('r');
    press('r');
    expect(ran).toEqual(['runs']);
  });

  it('pressed one after another stay one command when a room adds its own in between', () => {
    const { rerender } = render(
      <>
        <Keys />
        <Offer id="runs" keys="g r" />
      </>,
    );
    press('g');
    rerender(
      <>
        <Keys />
        <Offer id="runs" keys="g r" />
        <Offer id="reload" keys="r" />
      </>,
    );
    press('r');
    expect(ran).toEqual(['runs']);
    press('r');
    expect(ran).toEqual(['runs', 'reload']);
  });

  it('pressed fast are all heard', () => {
    render(
      <>
        <Keys />
        <Offer id="next" keys="j" />
      </>,
    );
    for (let time = 0; time < 20; time += 1) press('j');
    expect(ran).toHaveLength(20);
  });

  it('held down are one press: nobody answers twenty questions by leaning on a key', () => {
    render(
      <>
        <Keys />
        <Offer id="next" keys="j" />
      </>,
    );
    press('j');
    for (let time = 0; time < 20; time += 1) press('j', document.body, { repeat: true });
    expect(ran).toHaveLength(1);
  });

  it('of a command that is off for now do nothing', () => {
    render(
      <>
        <Keys />
        <Offer id="open" keys="o" enabled={false} />
      </>,
    );
    press('o');
    expect(ran).toEqual([]);
  });
});

describe('while a person types', () => {
  it.each([
    ['a text field', <input key="t" data-testid="field" />],
    ['a number field', <input key="n" type="number" data-testid="field" />],
    ['a search field', <input key="s" type="search" data-testid="field" />],
    ['a text area', <textarea key="a" data-testid="field" />],
    ['a list to choose from', <select key="c" aria-label="list" data-testid="field" />],
  ])('in %s, keys that type run nothing', (_what, field) => {
    const { getByTestId } = render(
      <>
        <Keys />
        <Offer id="next" keys="j" />
        <Offer id="sheet" keys="Shift+?" />
        <Offer id="runs" keys="g r" />
        {field}
      </>,
    );
    const target = getByTestId('field');
    press('j', target);
    press('?', target, { shiftKey: true });
    press('g', target);
    press('r', target);
    expect(ran).toEqual([]);
  });

  it('keys with Ctrl still work', () => {
    const { getByTestId } = render(
      <>
        <Keys />
        <Offer id="palette" keys="$mod+k" />
        <input data-testid="field" />
      </>,
    );
    press('k', getByTestId('field'), { ctrlKey: true });
    expect(ran).toEqual(['palette']);
  });

  it('a check box and a slider are no typing', () => {
    const make = (type: string): HTMLInputElement => Object.assign(document.createElement('input'), { type });
    expect(['checkbox', 'radio', 'range', 'text', 'password'].map((type) => isTyping(make(type)))).toEqual([
      false,
      false,
      false,
      true,
      true,
    ]);
  });
});

describe('a key that the page needs for itself', () => {
  it('presses the button that has the focus and nothing else', () => {
    const { getByText } = render(
      <>
        <Keys />
        <Offer id="submit" keys="Enter" />
        <button type="button">Cancel</button>
      </>,
    );
    press('Enter', getByText('Cancel'));
    press('Enter');
    expect(ran).toEqual(['submit']);
  });

  it('was used by a control already', () => {
    const { getByTestId } = render(
      <>
        <Keys />
        <Offer id="back" keys="ArrowLeft" />
        <div
          data-testid="slider"
          onKeyDown={(event) => event.preventDefault()}
          role="slider"
          aria-label="slider"
          aria-valuenow={1}
          tabIndex={0}
        />
      </>,
    );
    press('ArrowLeft', getByTestId('slider'), { cancelable: true });
    expect(ran).toEqual([]);
  });

  it('does not reach through an open dialog', () => {
    const { getByText } = render(
      <>
        <Keys />
        <Offer id="runs" keys="g r" />
        <div role="dialog">
          <button type="button">Close</button>
        </div>
      </>,
    );
    press('g', getByText('Close'));
    press('r', getByText('Close'));
    expect(ran).toEqual([]);
  });
});

describe('bindings', () => {
  it('leave out commands without a key', () => {
    const command = (id: string, keys: string | null): Command => ({
      id,
      title: id,
      keys,
      group: 'g',
      run: () => {},
    });
    expect(
      [...bindings([command('a', null), command('b', 'j'), command('c', 'j')])].map(([keys, { id }]) => [
        keys,
        id,
      ]),
    ).toEqual([['j', 'c']]);
  });
});
