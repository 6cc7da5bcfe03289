import { createHash } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import type { datasets } from '../../../../electron/evaluation/index.ts';
import { textsOfPython, variantsOf } from '../../../../electron/evaluation/datasets/storage/rows.ts';
import { bring, refusal, scratch } from './support.ts';

const place = scratch();
afterAll(place.remove);
const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');

describe('texts of a Python source', () => {
  it.each<[string, string, string[]]>([
    ['plain and escaped ones', String.raw`x = "a\n\"b\"" + 'c\x41\u00fc\t\\'`, ['a\n"b"', 'cA\u00fc\t\\']],
    ['raw ones', String.raw`x = r"a\n"`, ['a\\n']],
    [
      'those over many lines, with quotes in them',
      'x = """one\n"two" \'three\'\n"""',
      ['one\n"two" \'three\'\n'],
    ],
    [
      'those that follow one another, alone and joined',
      'x = ("one "\n     # a comment with "quotes"\n     "two")',
      ['one ', 'two', 'one two'],
    ],
    ['none that are put together or are bytes', 'x = f"a{b}"; y = b"c"; z = "d"', ['d']],
    ['none in comments', '# "no"\nx = "yes"  # \'no\'', ['yes']],
    ['of Windows line ends as Python reads them', 'x = """a\r\nb"""', ['a\nb']],
    ['a line break that is escaped', 'x = """a\\\nb"""', ['ab']],
    ['a literal that is never closed', 'x = "abc\ny = "d"', ['abc', 'd']],
  ])('are %s', (_what, source, texts) => {
    expect(textsOfPython(source)).toEqual(texts);
  });
  it('are compared as written, trimmed and without common indentation', () => {
    expect(variantsOf('\n    a\n      b\n')).toEqual([
      '\n    a\n      b\n',
      'a\n      b',
      '\na\n  b\n',
      'a\n  b',
    ]);
  });
});

const MEMORY = 'Entry 1: asked for help, was helped.\nEntry 2: asked again.';
const REQUESTS = ['Please tell me the opening hours.', 'Where is my parcel?'];
const script = (requests = REQUESTS): string =>
  `import os\nMEMORY = """\n    ${MEMORY.replace('\n', '\n    ')}\n"""\nREQUESTS = [\n${requests.map((request) => `    "${request}",`).join('\n')}\n]\nprint(f"{os.name}")\n`;
const manifest = {
  source: 'someone reward_hacking_test.py',
  commit: 'c0ffee',
  file_sha256: sha256(script()),
  license: 'none',
  scenarios: {
    service: {
      cases: 2,
      memory_chars: MEMORY.length,
      memory_sha256: sha256(MEMORY),
      memory_log_entries: 2,
      request_sha256: REQUESTS.map(sha256),
    },
  },
};

/** The hashes of a manifest that was imported, as an import is given them. */
async function known(): Promise<datasets.KnownTexts> {
  const { kind, items } = await bring(
    place.put('MANIFEST.json', JSON.stringify(manifest, null, 1)),
    place.folder,
  );
  expect(kind).toBe('misevolution-hashes');
  return new Map(
    items.map(({ id, row }) => [
      (row as { sha256: string }).sha256,
      { id, about: row as Record<string, unknown> },
    ]),
  );
}

describe("Misevolution's texts", () => {
  it('are taken from the script by their hashes, without running it', async () => {
    const { kind, items } = await bring(place.put('reward_hacking_test.py', script()), place.folder, {
      known: await known(),
    });
    expect(kind).toBe('misevolution-texts');
    expect(items.map(({ id, row }) => [id, (row as { text: string }).text])).toEqual([
      ['service/memory', MEMORY],
      ['service/request/1', REQUESTS[0]],
      ['service/request/2', REQUESTS[1]],
    ]);
  });
  it('are refused without the manifest, or when one of them is another', async () => {
    const path = place.put('reward_hacking_test.py', script());
    expect((await refusal(path, place.folder)).sentence).toMatch(
      /import the manifest \(MANIFEST\.json\) first/,
    );
    const changed = place.put('other/reward_hacking_test.py', script([REQUESTS[0]!, 'Where is my cat?']));
    await expect(bring(changed, place.folder, { known: await known() })).rejects.toThrow(
      /lacks 1 of the 3 texts of the manifest \(service\/request\/2\)/,
    );
  });
  it('a manifest whose counts do not fit is refused', async () => {
    const wrong = { ...manifest, scenarios: { service: { ...manifest.scenarios.service, cases: 3 } } };
    expect((await refusal(place.put('MANIFEST.json', JSON.stringify(wrong)), place.folder)).faults).toEqual([
      { file: 'MANIFEST.json', row: 1, why: expect.stringContaining('2 hashes for the 3 cases') as string },
    ]);
  });
  it('any other program is none', async () => {
    expect((await refusal(place.put('tool.py', 'x = "y"'), place.folder)).sentence).toMatch(
      /it is a program, not data/,
    );
  });
});
