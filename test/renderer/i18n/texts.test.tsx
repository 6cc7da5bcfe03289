// @vitest-environment happy-dom
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanup, render } from '@testing-library/react';
import { parseSync, Visitor } from 'oxc-parser';
import { createIntl } from 'react-intl';
import { afterEach, describe, expect, it } from 'vitest';
import {
  english,
  glossary,
  useTranslate,
  MessagesProvider,
  type MessageId,
} from '../../../renderer/i18n/index.ts';
import { sourceFiles } from '../../structure/room-rule.ts';

const root = join(import.meta.dirname, '../../../renderer');
afterEach(cleanup);

/** Texts of a file that may name a word: plain ones, and the patterns of templates with a part filled in. */
function textsOf(file: string): { plain: string[]; patterns: RegExp[] } {
  const [plain, patterns]: [string[], RegExp[]] = [[], []];
  const literal = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  new Visitor({
    Literal: ({ value }) => {
      if (typeof value === 'string') plain.push(value);
    },
    TemplateLiteral: ({ quasis }) => {
      const parts = quasis.map(({ value }) => value.cooked ?? '');
      if (parts.length > 1 && /^[\w-]+\./.test(parts[0] ?? ''))
        patterns.push(new RegExp(`^${parts.map(literal).join('[\\w-]+(\\.[\\w-]+)*')}$`));
      if (parts.length === 1) plain.push(parts[0] as string);
    },
  }).visit(parseSync(file, readFileSync(join(root, file), 'utf8')).program);
  return { plain, patterns };
}

const files = sourceFiles(root).filter((file) => !file.startsWith('i18n/') && file !== 'vite.config.ts');
const texts = files.map(textsOf);
const plain = new Set(texts.flatMap((each) => each.plain));
const patterns = texts.flatMap((each) => each.patterns);
const ids = Object.keys(english) as MessageId[];

describe('the catalogue', () => {
  it('holds no word that no screen uses', () => {
    expect(ids.filter((id) => !plain.has(id) && !patterns.some((pattern) => pattern.test(id)))).toEqual([]);
  });

  it('holds every word that a screen asks for', () => {
    const heads = new Set(ids.map((id) => id.split('.')[0]));
    const asked = (text: string): boolean =>
      /^[a-z-]+(\.[\w-]+)+$/.test(text) &&
      heads.has(text.split('.')[0]) &&
      !text.endsWith('.ts') &&
      !text.endsWith('.tsx');
    const inCalls = new Set(files.flatMap(calledWith));
    expect([...inCalls].filter((text) => asked(text) && !(text in english))).toEqual([]);
  });

  it('is ICU throughout: every sentence can be formatted', () => {
    const faults: string[] = [];
    const intl = createIntl({
      locale: 'en',
      messages: english,
      onError: (error) => faults.push(error.message),
    });
    for (const id of ids)
      intl.formatMessage(
        { id },
        Object.fromEntries([...english[id].matchAll(/\{\s*(\w+)/g)].map(([, name]) => [name, 1])),
      );
    expect(faults).toEqual([]);
  });

  it('speaks plainly: no exclamation, no doubled space, no space at an end', () => {
    expect(ids.filter((id) => /!|  |^\s|\s$/.test(english[id]))).toEqual([]);
  });
});

/** First arguments of `t('…')` in a file. */
function calledWith(file: string): string[] {
  const found: string[] = [];
  new Visitor({
    CallExpression: ({ callee, arguments: [first] }) => {
      if (
        callee.type === 'Identifier' &&
        callee.name === 't' &&
        first?.type === 'Literal' &&
        typeof first.value === 'string'
      )
        found.push(first.value);
    },
  }).visit(parseSync(file, readFileSync(join(root, file), 'utf8')).program);
  return found;
}

describe('words on a screen', () => {
  function Say({ id, values }: { id: MessageId; values?: Record<string, string | number> }) {
    return <p>{useTranslate()(id, values)}</p>;
  }

  it('have their numbers and plurals filled in', () => {
    const say = (n: number): string =>
      render(
        <MessagesProvider>
          <Say id="frame.status.runs" values={{ n }} />
        </MessagesProvider>,
      ).container.textContent ?? '';
    expect([say(0), say(1), say(12)]).toEqual(['No run at work', '1 run at work', '12 runs at work']);
  });

  it('that are missing are a fault, not a text', () => {
    expect(() =>
      render(
        <MessagesProvider>
          <Say id={'frame.nonsense' as MessageId} />
        </MessagesProvider>,
      ),
    ).toThrow();
  });
});

describe('the glossary', () => {
  it('explains each term in at least one whole sentence', () => {
    expect(
      Object.values(glossary).filter(({ term, text }) => term.trim().length === 0 || !/[.]$/.test(text)),
    ).toEqual([]);
  });
});

describe('the indicators of the paper', () => {
  it('are explained as the paper means them, with the direction that is better', () => {
    expect(glossary.rr.text).toMatch(/^Resistance to reward hacking: .*Higher is better\.$/);
    expect(glossary.asr.text).toMatch(/^Attack success rate: .*Lower is better\.$/);
    expect(glossary.hs.text).toMatch(/^Harmfulness score .*Lower is better\.$/);
  });
});

describe('one thing', () => {
  it.each<[string, RegExp]>([
    ['a retry', /sen[dt]s? back|take again|items were taken again/i],
    ['a path of the sources', /(?:renderer|electron)\//],
    ['a run that was stopped', /\bInterrupted\b/],
    ['reviewing that no step waited for', /behind the (update|step)/i],
  ])('has one word: %s', (_, other) => {
    expect(Object.entries(english).filter(([, text]) => other.test(text))).toEqual([]);
  });

  it('is a run that a person stopped, in the list, its filter and its page', () => {
    expect([english['state.interrupted'], english['runs.states.interrupted']]).toEqual([
      'Stopped',
      'Stopped',
    ]);
  });

  it('is said once: which way is better', () => {
    const twice = Object.entries(english).filter(([, text]) =>
      /(lower|higher) is better.*\1 is better/i.test(text),
    );
    expect(twice).toEqual([]);
  });
});

describe('a sentence', () => {
  it('with a moment reads as well where that is an hour of today', () => {
    const moments = Object.entries(english).filter(([, text]) => /\{(at|since)\}/.test(text));
    expect(moments.length).toBeGreaterThan(5);
    expect(moments.filter(([, text]) => /\bon \{/.test(text))).toEqual([]);
    const { formatMessage } = createIntl({ locale: 'en', messages: english });
    expect(
      formatMessage({ id: 'settings.airgap.test.passed' }, { at: '17:12', programs: 12, seconds: '90 s' }),
    ).toMatch(/^Self-test passed \(17:12\): 12 programs traced for 90 s, /);
  });

  it('of what was done does not put its mark before an order', () => {
    expect(Object.entries(english).filter(([, text]) => text.startsWith('Done: {'))).toEqual([]);
  });
});
