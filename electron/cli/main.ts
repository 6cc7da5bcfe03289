import { join } from 'node:path';
import { Command, CommanderError, type Option } from 'commander';
import { APP_VERSION, Failure } from '../contract/index.ts';
import { Program, type Terminal } from './program.ts';

/** The commands and where each is declared. Only the module of the command that was asked for is loaded, or all of them for the help. */
const COMMANDS: readonly { names: readonly string[]; load(): Promise<(program: Program) => void> }[] = [
  { names: ['dataset'], load: async () => (await import('./commands/dataset.ts')).addDataset },
  { names: ['demo'], load: async () => (await import('./commands/demo.ts')).addDemo },
  { names: ['run', 'resume'], load: async () => (await import('./commands/run.ts')).addRun },
  { names: ['eval'], load: async () => (await import('./commands/eval.ts')).addEval },
  { names: ['judge'], load: async () => (await import('./commands/judge.ts')).addJudge },
  { names: ['runs', 'show'], load: async () => (await import('./commands/show.ts')).addShow },
  { names: ['report'], load: async () => (await import('./commands/report.ts')).addReport },
  { names: ['verify'], load: async () => (await import('./commands/verify.ts')).addVerify },
  {
    names: ['backup', 'restore', 'check'],
    load: async () => (await import('./commands/backup.ts')).addBackup,
  },
  { names: ['export', 'import', 'doctor'], load: async () => (await import('./commands/lab.ts')).addLab },
  {
    names: ['start', 'serve', 'open'],
    load: async () => (await import('./commands/window.ts')).addWindow,
  },
  {
    names: ['ask', 'asked'],
    load: async () => (await import('./commands/ask.ts')).addAsk,
  },
  { names: ['sample'], load: async () => (await import('./commands/sample.ts')).addSample },
  {
    names: ['record-sample'],
    load: async () => (await import('./commands/record-sample.ts')).addRecordSample,
  },
];

/** The program with the command that a line names, or with all of them. @param onWrong hears what commander finds wrong with a line. */
export async function programFor(
  args: readonly string[],
  terminal: Terminal,
  onWrong: (text: string) => void,
): Promise<Program> {
  const command = new Command('anchor')
    .description('Anchor Lab: self-evolving language models under supervision, on one offline machine.')
    .version(APP_VERSION)
    .option(
      '--lab <folder>',
      'lab folder with the database, runs and checkpoints (default: $ANCHOR_LAB, else the user data folder)',
    )
    .option(
      '--json',
      'print the result as JSON on standard output; progress and messages go to standard error',
    )
    .configureOutput({
      writeOut: (text) => void terminal.stdout.write(text),
      writeErr: (text) => void terminal.stderr.write(text),
      outputError: onWrong,
    })
    .exitOverride();
  const program = new Program(command, join(import.meta.dirname, '../..'), terminal);
  const name = args[operandAt(args, command.options)];
  const asked = COMMANDS.filter(({ names }) => name !== undefined && names.includes(name));
  for (const { load } of asked.length > 0 ? asked : COMMANDS) (await load())(program);
  return program;
}

/**
 * Carries out one command line.
 * @param args without the program's own name. @returns the exit code: 0, 1 for a failure, 2 where the request was wrong.
 */
export async function main(args: readonly string[], terminal: Terminal): Promise<number> {
  let wrong = '';
  const program = await programFor(args, terminal, (text) => (wrong = text));
  try {
    await refuseUnknownCommand(program.command, args);
    await program.command.parseAsync(args, { from: 'user' });
    return program.exitCode;
  } catch (error) {
    const { NO_FILES_LEFT, quotable, quotableLines } = await import('../core/index.ts');
    if (error instanceof CommanderError) {
      // Help and version are no errors; a group of commands without one of them shows its help.
      if (error.exitCode === 0) return 0;
      if (wrong === '') return 2;
      const [said = '', ...suggestion] = wrong.trimEnd().split(/\n(?=\(Did you mean )/);
      program.say([said, ...suggestion].map((line) => quotable(line, LONGEST)).join('\n'));
      program.say('(anchor --help lists the commands)');
      return 2;
    }
    if (error instanceof Failure) {
      program.fail(quotableLines(error, LONGEST), error.exitCode);
      return program.exitCode;
    }
    const { code, path } = error as NodeJS.ErrnoException;
    if (code === 'EMFILE') {
      program.fail(`${path ?? 'A file'} cannot be opened: ${NO_FILES_LEFT}`);
      return program.exitCode;
    }
    program.say(
      `anchor: this should not have happened: ${error instanceof Error ? error.stack : String(error)}`,
    );
    return 1;
  }
}

/** Characters of a sentence about what was typed, which may quote much of it. */
const LONGEST = 2000;

/** Where the first word stands that is neither an option nor the value of one; -1 where there is none or an option is not known. */
function operandAt(args: readonly string[], options: readonly Option[]): number {
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] as string;
    if (arg === '--') return at + 1 < args.length ? at + 1 : -1;
    if (!arg.startsWith('-') || arg === '-') return at;
    const option = options.find(({ short, long }) => arg === short || arg.split('=')[0] === long);
    if (option === undefined) return -1;
    if (option.required && !arg.includes('=')) at += 1;
  }
  return -1;
}

/**
 * Commander prints the whole program's help where an unknown command is followed by --help, and counts one below a command that
 * has an action of its own as a surplus argument; so names are checked before it reads them.
 * @throws Failure `usage` (exit code 2) that names the nearest command.
 */
async function refuseUnknownCommand(program: Command, args: readonly string[]): Promise<void> {
  let [command, rest, path] = [program, args, ''];
  while (command.commands.length > 0) {
    let at = operandAt(rest, [...program.options, ...command.options]);
    if (command === program && rest[at] === 'help') {
      rest = rest.slice(at + 1);
      at = operandAt(rest, program.options);
    }
    const name = rest[at];
    if (name === undefined) return;
    const found = command.commands.find((candidate) => candidate.name() === name);
    if (found === undefined) {
      const nearest = await nearestOf(
        name,
        command.commands.map((candidate) => candidate.name()),
      );
      throw new Failure(
        'usage',
        `There is no command "${path}${name}"; ${nearest === null ? `"anchor ${path}--help" lists the commands.` : `did you mean "${path}${nearest}"?`}`,
        2,
      );
    }
    [command, rest, path] = [found, rest.slice(at + 1), `${path}${name} `];
  }
}

/** The name that takes the fewest changes to reach, or null where even that one has little in common with what was typed. */
async function nearestOf(typed: string, names: readonly string[]): Promise<string | null> {
  const { editDistance } = await import('../core/index.ts');
  const [nearest] = names
    .map((name) => ({
      name,
      changes: editDistance(typed, name),
      longer: Math.abs(typed.length - name.length),
    }))
    .sort((a, b) => a.changes - b.changes || a.longer - b.longer);
  if (nearest === undefined) return null;
  return nearest.changes <= Math.max(typed.length, nearest.name.length) / 2 ? nearest.name : null;
}
