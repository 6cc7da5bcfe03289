import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { useWarmTrainer } from '../../support/warm-trainer.ts';
import { APPLICATION, makeLab, type Lab } from './in-engine.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });
useWarmTrainer();

const POLICY = join(APPLICATION, 'resources/models/policy');
const LOOPS = `${'{% for a in range(99999) %}'.repeat(3)}a${'{% endfor %}'.repeat(3)}`;

let lab: Lab;
beforeAll(async () => {
  lab = await makeLab();
});
afterAll(() => lab.remove());

/** What the test load of a copy of the embedded policy says, once `harm` was done to its folder. */
async function saidOf(name: string, harm: (folder: string) => void): Promise<string | null> {
  const folder = join(lab.scratch, name);
  cpSync(POLICY, folder, { recursive: true });
  harm(folder);
  const { problem } = await lab.ended(await lab.verbs.library.import({ path: folder, name, how: 'link' }));
  return problem ?? (await lab.ended(await lab.verbs.library.testLoad({ name }))).problem;
}

const withTemplate =
  (template: string) =>
  (folder: string): void =>
    writeFileSync(join(folder, 'chat_template.jinja'), template);
const withConfig =
  (changes: object) =>
  (folder: string): void => {
    const file = join(folder, 'config.json');
    const config = JSON.parse(readFileSync(file, 'utf8')) as object;
    writeFileSync(file, JSON.stringify({ ...config, ...changes }));
  };

describe('the test load of a model that was made to occupy the trainer', () => {
  const MADE: [name: string, harm: (folder: string) => void, sentence: RegExp][] = [
    ['loops', withTemplate(LOOPS), /chat template did not render the messages: it takes more than 2 s/],
    [
      'power',
      withTemplate('{{ 9**(9**9) }}'),
      /The chat template in .* is not valid: it takes more than 2 s/,
    ],
    ['layers', withConfig({ num_hidden_layers: 10 ** 9 }), /asks for 1,000,000,000 layers, but the weights/],
  ];
  const ends = async (name: string, harm: (folder: string) => void, sentence: RegExp): Promise<void> => {
    const said = await saidOf(name, harm);
    expect(said).toMatch(sentence);
    expect(said).toMatch(/^[^\n]{10,900}\.$/);
  };
  it.each(MADE.slice(0, 1))('ends in a sentence (%s)', ends);
  it.each(MADE.slice(1))('ends in a sentence (%s)', { tags: ['full'] }, ends);

  it.each(['null', '[]', '3', '{"architectures": 3}'])(
    'is not reached with %s as config.json',
    async (text) => {
      const folder = join(lab.scratch, `config-${text.length}`);
      cpSync(POLICY, folder, { recursive: true });
      writeFileSync(join(folder, 'config.json'), text);
      const look = await lab.verbs.library.look({ path: folder });
      expect(look).toMatchObject({
        kind: 'refused',
        reason: expect.stringMatching(/config\.json .*; copy it again from the original model\.$/) as string,
      });
    },
  );
});
