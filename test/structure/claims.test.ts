import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SAMPLE_PLACES } from '../e2e/window/places.ts';

const root = join(import.meta.dirname, '../..');
const read = (name: string): string => readFileSync(join(root, name), 'utf8');
/** Tests that a text names in backticks, by their paths. */
const testsIn = (text: string): string[] => [
  ...new Set([...text.matchAll(/`(test\/[\w./-]+)`/g)].map(([, path]) => path as string)),
];

const FILES = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
  .toString()
  .split('\n')
  .filter((name) => name !== '' && existsSync(join(root, name)));

/** Every page a person reads beside the code. */
const PAGES = FILES.filter((name) => /^(docs\/.*|native\/.*|[A-Z]+)\.md$/.test(name));

const TOP = /^(electron|renderer|native|resources|test|docs)\//;
/** What `npm` commands make: no checkout has it. */
const MADE = /^(out|lab|dist)\//;

/** Paths from the root that stand in a span of code, alone or among the words of a command. */
function pathsIn(text: string): string[] {
  const spans = [...text.matchAll(/```[^\n]*\n([\s\S]*?)```|`([^`\n]+)`/g)].flatMap(([, block, span]) =>
    (block ?? span ?? '').split(/[\s,;()|"]+/),
  );
  return [...new Set(spans.map((word) => word.replace(/[.:]+$/, '')))].filter(
    (word) => TOP.test(word) && !MADE.test(word) && !/[<>{}*…$]/.test(word),
  );
}

/** Files that a page names by the end of their paths, such as `store/kill.test.ts`; a leading + says that one is to be made. */
function endingsIn(text: string): string[] {
  const words = [...text.matchAll(/`([\w.-]+(?:\/[\w.-]+)*\.(?:tsx?|mjs|py|css))`/g)].map(
    ([, word]) => word ?? '',
  );
  return [...new Set(words)].filter((word) => !TOP.test(word));
}

/** Files that links and pictures point at, relative to the page. */
function linksIn(text: string): string[] {
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)"/g)].map(
    ([, link, source]) => link ?? source ?? '',
  );
  return [...new Set(targets)].filter((target) => !/^[a-z]+:/.test(target));
}

/** Headings as GitHub makes anchors of them. */
const anchorsOf = (text: string): Set<string> =>
  new Set(
    [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );

/** Links of a page that lead nowhere. */
function brokenLinks(page: string, text: string): string[] {
  return linksIn(text).filter((target) => {
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? page : join(dirname(page), path);
    if (!existsSync(join(root, file))) return true;
    return anchor !== undefined && !anchorsOf(read(file)).has(anchor);
  });
}

describe('what is said of tests', () => {
  it.each(['docs/reliability.md', 'docs/testing.md', 'SECURITY.md'].filter((page) => PAGES.includes(page)))(
    '%s names only tests that are there',
    (file) => {
      const named = testsIn(read(file));
      expect(named.length).toBeGreaterThan(3);
      expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    },
  );

  it('every claim names what shows it', () => {
    const [, table = ''] = read('docs/reliability.md').split('| claim | shown by |');
    const claims = table.split('\n\n')[0]?.split('\n').slice(2) ?? [];
    expect(claims.length).toBeGreaterThan(15);
    expect(claims.filter((row) => testsIn(row).length === 0)).toEqual([]);
  });

  it('every fault and attack has its figure or says that there is none, and commands that are there', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const isThere = (command: string): boolean => {
      const script = /^npm run ([\w:]+)(?: -- .+)?$/.exec(command)?.[1];
      if (script !== undefined) return script in scripts;
      const tests = /^(?:npx vitest run(?: --project full)?|\.venv\/bin\/python -m pytest) (test\/.+)$/.exec(
        command,
      )?.[1];
      return tests?.split(' ').every((path) => existsSync(join(root, path))) ?? false;
    };
    const isSound = (row: string): boolean => {
      const [, fault, tries, survived, said, commands = '', after] = row.split(/ ?\| ?/);
      const named = [...commands.matchAll(/`([^`]+)`/g)].map(([, command]) => command as string);
      return (
        [fault, survived, said].every((cell) => cell !== undefined && cell !== '') &&
        /\d|^every |not measured/.test(tries ?? '') &&
        named.length > 0 &&
        named.every(isThere) &&
        after === ''
      );
    };
    const [, table = ''] = read('docs/reliability.md').split(
      '| fault or attack | tries | survived | what is said | command |',
    );
    const rows = table.split('\n\n')[0]?.split('\n').slice(2) ?? [];
    expect(rows.length).toBeGreaterThan(70);
    expect(rows.filter((row) => !isSound(row))).toEqual([]);
    expect(isSound('| a | not measured | all | nothing | `npm run sim` |')).toBe(true);
    expect(isSound('| a | some | all | nothing | `npm run sim` |')).toBe(false);
    expect(isSound('| a | 1 | all | nothing | `npx vitest run test/none.test.ts` |')).toBe(false);
    expect(isSound('| a | 1 | all | nothing | `npm run none` |')).toBe(false);
  });

  /** Tests named by file and title, as `file` > *title*. */
  const titlesIn = (row: string): { path: string; title: string }[] =>
    [...row.matchAll(/`(test\/[\w./-]+)` > \*([^*]+)\*/g)].map(([, path = '', title = '']) => ({
      path,
      title,
    }));
  /** A title is written in one piece, between quotes of any kind. */
  const isThere = ({ path, title }: { path: string; title: string }): boolean =>
    [`'${title.replaceAll("'", String.raw`\'`)}'`, `"${title}"`, `\`${title}\``].some((written) =>
      read(path).includes(written),
    );

  it('every defect that the review of the window found has a test of a title that is there', () => {
    const [, table = ''] = read('docs/testing.md').split('| | defect | test |');
    const rows = table.split('\n\n')[0]?.split('\n').slice(2) ?? [];
    const numbers = rows.flatMap((row) => /^\| (D\d+) \|/.exec(row)?.[1] ?? []);
    expect(numbers).toEqual(Array.from({ length: 29 }, (_, index) => `D${index + 1}`));
    expect(rows.filter((row) => titlesIn(row).length === 0)).toEqual([]);
    // None is named in another way.
    expect(
      rows.filter((row) => testsIn(row).some((path) => !titlesIn(row).some((one) => one.path === path))),
    ).toEqual([]);
    expect(rows.flatMap(titlesIn).filter((one) => !isThere(one))).toEqual([]);
    expect(isThere({ path: 'test/structure/claims.test.ts', title: ['no', 'such title'].join(' ') })).toBe(
      false,
    );
  });
});

describe('commands beside an engine at work', () => {
  /** Top commands in whose action one of these methods of Program is called. */
  const calling = (methods: RegExp): string[] =>
    FILES.filter((name) => name.startsWith('electron/cli/commands/'))
      .flatMap((file) =>
        read(file)
          .split(/program\.command\s*\.command\('/)
          .slice(1),
      )
      .filter((action) => methods.test(action))
      .map((action) => /^[\w-]+/.exec(action)?.[0] ?? '');
  const namedIn = (sentence: RegExpExecArray | null): string[] =>
    [...(sentence?.[1] ?? '').matchAll(/`([\w-]+)`/g)].map(([, command]) => command as string);
  const guide = read('docs/guide.md');

  it('the guide names each that works in that engine, and each that wants the lab for itself', () => {
    const inIt = namedIn(/has the lab open, ((?:`[\w-]+`|,|\s|and)+) work in that engine/.exec(guide));
    expect(inIt.toSorted()).toEqual(calling(/\.with(AnyEngine|Verbs)\(/).toSorted());
    const alone = namedIn(/^(.*) wants? the lab for (?:itself|themselves)/m.exec(guide));
    // `start` opens the window of the engine at work, if there is one.
    expect(alone).toEqual(calling(/\.withEngine\(/).filter((command) => command !== 'start'));
  });
});

describe('what pages name', () => {
  it.each(PAGES)('%s names paths that exist', (page) => {
    const text = read(page);
    expect(pathsIn(text).filter((path) => !existsSync(join(root, path)))).toEqual([]);
    expect(
      endingsIn(text).filter((word) => !FILES.some((file) => file === word || file.endsWith(`/${word}`))),
    ).toEqual([]);
  });

  it.each(PAGES)('%s links to files and headings that exist', (page) => {
    expect(brokenLinks(page, read(page))).toEqual([]);
  });

  it('the rules see a wrong path, a wrong link and a wrong heading', () => {
    expect(pathsIn('run `node test/no-such/run.ts --all` or\n```\ncat electron/none.ts\n```')).toEqual([
      'test/no-such/run.ts',
      'electron/none.ts',
    ]);
    expect(endingsIn('`loop/step.ts` and `+new/step.ts`, `electron/a.ts`')).toEqual(['loop/step.ts']);
    expect(
      brokenLinks('docs/testing.md', '[a](none.md) [b](testing.md#none) [c](testing.md#testing)'),
    ).toEqual(['none.md', 'testing.md#none']);
  });

  it('pictures are those of the places that are shown, in both themes', () => {
    expect(FILES.filter((name) => /^docs\/pictures\/.*\.png$/.test(name)).toSorted()).toEqual(
      SAMPLE_PLACES.flatMap(({ name }) =>
        ['dark', 'light'].map((theme) => `docs/pictures/${name}-${theme}.png`),
      ).toSorted(),
    );
  });

  it('the README shows the three minutes of the demo: curves that part, the cause and the costs', () => {
    const shown = linksIn(read('README.md'));
    for (const part of ['demo', 'demo-why', 'demo-costs'])
      for (const theme of ['dark', 'light']) expect(shown).toContain(`docs/pictures/${part}-${theme}.png`);
  });

  it('the README is for a newcomer: at most 1,500 words', () => {
    expect(read('README.md').split(/\s+/).filter(Boolean).length).toBeLessThanOrEqual(1500);
  });
});
