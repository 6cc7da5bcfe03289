import { describe, expect, it } from 'vitest';
import { callAnchor } from './call-anchor.ts';

describe('a command that does not exist', () => {
  it.each([
    ['rnus', 'There is no command "rnus"; did you mean "runs"?'],
    ['exprot run-1', 'There is no command "exprot"; did you mean "export"?'],
    ['datasets', 'There is no command "datasets"; did you mean "dataset"?'],
    ['model --help', 'There is no command "model"; "anchor --help" lists the commands.'],
    ['frobnicate', 'There is no command "frobnicate"; "anchor --help" lists the commands.'],
    ['--json --lab /nowhere rnus', 'There is no command "rnus"; did you mean "runs"?'],
    ['help rnus', 'There is no command "rnus"; did you mean "runs"?'],
    ['dataset lst', 'There is no command "dataset lst"; did you mean "dataset list"?'],
    ['dataset --json lst --help', 'There is no command "dataset lst"; did you mean "dataset list"?'],
    [
      'dataset frobnicate',
      'There is no command "dataset frobnicate"; "anchor dataset --help" lists the commands.',
    ],
    ['judge calibrat x', 'There is no command "judge calibrat"; did you mean "judge calibrate"?'],
    ['eval --model embedded matrx', 'There is no command "eval matrx"; did you mean "eval matrix"?'],
    ['eval matrx --help', 'There is no command "eval matrx"; did you mean "eval matrix"?'],
  ])('"anchor %s" is refused in one sentence that names the nearest one', async (line, sentence) => {
    expect(await callAnchor(...line.split(' '))).toEqual({
      code: 2,
      stdout: '',
      stderr: `anchor: ${sentence}\n`,
    });
  });

  it.each([
    [['--help'], 0, /Usage: anchor \[options\] \[command\]/],
    [['help', 'runs'], 0, /Usage: anchor runs/],
    [['dataset', '--help'], 0, /Usage: anchor dataset/],
    [['eval', 'matrix', '--help'], 0, /Usage: anchor eval matrix/],
    [['--version'], 0, /^0\.1\.0\n$/],
  ] as const)('does not stand in the way of "anchor %j"', async (args, code, text) => {
    const result = await callAnchor(...args);
    expect(result).toMatchObject({ code, stderr: '', stdout: expect.stringMatching(text) as string });
  });

  it('is not looked for among the arguments of a command or the values of its options', async () => {
    expect((await callAnchor('show', '--step', 'many', 'run-1')).stderr).toContain(
      'It must be a whole number',
    );
    expect((await callAnchor('--frob', 'runs')).stderr).toContain("unknown option '--frob'");
    expect((await callAnchor('runs', 'extra')).stderr).toContain("too many arguments for 'runs'");
  });
});

it('the help of the whole program names every command once', async () => {
  const { stdout } = await callAnchor('--help');
  const names = [...stdout.slice(stdout.indexOf('Commands:')).matchAll(/^ {2}([a-z-]+)/gm)].map(
    ([, name]) => name as string,
  );
  expect(new Set(names).size).toBe(names.length);
  // Each of them is also found alone, when only its own module is loaded.
  for (const name of names.filter((known) => known !== 'help')) {
    const alone = await callAnchor(name, '--help');
    expect({ name, code: alone.code, stderr: alone.stderr }).toEqual({ name, code: 0, stderr: '' });
    expect(alone.stdout).toContain(`Usage: anchor ${name}`);
  }
});
