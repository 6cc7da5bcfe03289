import { isDeadly, readProgram, runProgram, type Program } from './policy.ts';
import { Death, Refusal, type Behaviour, type Request, type Wire, type Work } from './program.ts';

const BROKER: Wire = {
  read: ({ id, op, ...params }) => ({ id, method: op, params }) as Request,
  result: (id, result) => ({ id, ok: true, result }),
  refusal: (id, { kind, message }) => ({ id, ok: false, error: { kind, message } }),
};

const hex = (value: number): string =>
  value < 0 ? `-0x${(-value).toString(16)}` : `0x${value.toString(16)}`;

function read(program: string): Program | null {
  const found = readProgram(program);
  if (found !== null && isDeadly(found)) throw new Death();
  return found;
}

export type Job = { program: string; calls: { args: [string, string][] }[] };

export function run({ program, calls }: Job): object {
  const found = read(program);
  const results = calls.map(({ args }) => {
    const value = args[0]?.[0] === 'i' ? Number(args[0][1].replace('-', '')) : Number.NaN;
    if (found === null || args.length !== 1 || Number.isNaN(value))
      return { status: 'error', error: { type: 'TypeError', line: 1 } };
    return {
      status: 'ok',
      value: ['i', hex(runProgram(found, args[0]?.[1].startsWith('-') ? -value : value))],
    };
  });
  return { level: 'L3', status: 'ok', calls: results, stdout: '', stderr: '', wallMs: 1, cpuMs: 1 };
}

export function parse(program: string): object {
  if (read(program) === null || program.endsWith('+'))
    return { ok: false, error: { type: 'SyntaxError', line: 1, message: 'invalid syntax' } };
  return {
    ok: true,
    imports: [],
    functions: [{ name: 'f', line: 1, args: ['x'], nested: false }],
    statements: 2,
    loops: 0,
    callsTo: [],
    astNodes: 9,
    normalized: program,
  };
}

/** The sandbox's broker for the programs of the simulated world. */
export function runner(pace: { noise: (path: string) => number }): Behaviour {
  const answers: Record<string, (params: Record<string, unknown>) => unknown> = {
    hello: () => ({
      level: 'L3',
      why: 'L3 passed all probes.',
      python: '3.11.2',
      selfTest: [],
      executionAllowed: true,
    }),
    run: (params) => run(params as Job),
    check: (params) => ({ ...run(params as Job), deterministic: true, differs: [] }),
    parse: ({ programs }) => (programs as string[]).map(parse),
    stats: () => ({}),
  };
  return {
    heartbeatMs: null,
    wire: BROKER,
    handle({ method, params }): Work {
      const answer = answers[method];
      if (answer === undefined) throw new Refusal('badRequest', `There is no op ${method}.`);
      return { takesMs: 1 * 200 ** pace.noise(method), answer: () => answer(params) };
    },
  };
}
