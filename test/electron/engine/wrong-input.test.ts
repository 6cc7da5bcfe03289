import { fetchRequestHandler } from '@trpc/server/adapters/fetch';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { createRouter } from '../../../electron/engine/index.ts';
import { router as makeRouter, verb } from '../../../electron/engine/verbs/verb.ts';
import { Draw, hostileValue } from '../../support/drawn.ts';
import { drawnFor, placesIn, withPlace } from '../../support/schema-values.ts';
import { makeLab, type Lab } from './in-engine.ts';

let lab: Lab;
let router: ReturnType<typeof createRouter>;
beforeAll(async () => {
  lab = await makeLab();
  router = createRouter(lab.engine);
});
afterAll(() => lab.remove());

const WRONG: readonly unknown[] = [
  12_345,
  'text',
  true,
  [],
  {},
  { runId: 5 },
  { runId: '', step: 'x', limit: -1, cursor: {} },
  { config: { steps: 'many' }, model: [], path: 7, name: { deep: [1] }, id: null },
];

/** What tRPC keeps of a router and of each of its verbs under this name. */
const DEFINITION = '_def';
type Router = { [DEFINITION]: { procedures: Record<string, Procedure> } };
type Procedure = { [DEFINITION]: { type: 'query' | 'mutation' | 'subscription'; inputs: z.ZodType[] } };

/** One line, without anything that acts on what shows it, or that only a program would say. */
const SENTENCE =
  /^(?!.*(?:Error:|ZodError|errno|syscall|\bundefined\b|should not have happened))[^\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]{8,2100}$/u;
const HUNG_MS = 30_000;

type Answer = { status: number; message: string | null };
async function ask(path: string, isQuery: boolean, input: unknown): Promise<Answer> {
  const text = JSON.stringify(input);
  const asked = fetchRequestHandler({
    endpoint: '/verbs',
    router,
    req: new Request(
      `http://lab/verbs/${path}${isQuery && text !== undefined ? `?input=${encodeURIComponent(text)}` : ''}`,
      isQuery ? {} : { method: 'POST', body: text ?? '', headers: { 'content-type': 'application/json' } },
    ),
  });
  let timer: NodeJS.Timeout | undefined;
  const hung = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${path} did not answer ${text?.slice(0, 500)}`)), HUNG_MS);
  });
  const response = await Promise.race([asked, hung]).finally(() => clearTimeout(timer));
  const { error } = (await response.json()) as { error?: { message: string } };
  return { status: response.status, message: error?.message ?? null };
}

async function expectRefused(path: string, isQuery: boolean, input: unknown, about: string): Promise<void> {
  const { status, message } = await ask(path, isQuery, input);
  expect(status, about).toBe(400);
  expect(message, about).toMatch(SENTENCE);
  expect(message, about).toContain(` of ${path} is wrong: `);
}

/** By name, those that answer once and take an input. */
function verbs(): { path: string; isQuery: boolean; schema: z.ZodType }[] {
  const { procedures } = (router as unknown as Router)[DEFINITION];
  return Object.entries(procedures).flatMap(
    ([
      path,
      {
        [DEFINITION]: { type, inputs },
      },
    ]) =>
      type === 'subscription' || inputs[0] === undefined
        ? []
        : [{ path, isQuery: type === 'query', schema: inputs.reduce((all, each) => all.and(each)) }],
  );
}

/** Counted by verb; none may be left out. */
function expectEach(refused: ReadonlyMap<string, number>, least: number): void {
  const few = verbs().filter(({ path }) => (refused.get(path) ?? 0) < least);
  expect(few.map(({ path }) => `${path}: ${refused.get(path) ?? 0}`)).toEqual([]);
}

it('every verb refuses input of a wrong type with one sentence that names it', async () => {
  const refused = new Map<string, number>();
  for (const { path, isQuery, schema } of verbs())
    for (const input of WRONG) {
      // What is right would be carried out.
      if (schema.safeParse(input).success) continue;
      await expectRefused(path, isQuery, input, `${path} ${JSON.stringify(input)}`);
      refused.set(path, (refused.get(path) ?? 0) + 1);
    }
  expectEach(refused, 3);
});

it('the feed of events refuses a place of a wrong type with one sentence that names it', async () => {
  const { live } = createRouter(lab.engine).createCaller({});
  for (const input of [12_345, 'text', true, [], { lastEventId: 5 }, { lastEventId: {} }])
    await expect(live.events(input as never)).rejects.toThrow(/ of live\.events is wrong: /);
});

/** Begin work of minutes, or look at the whole machine. */
const BEGIN_WORK = new Set([
  'lab.doctor',
  'airgap.selfTest',
  'tour.open',
  'tour.restart',
  'tour.makeCheckpoints',
]);

it('every verb that takes no input answers as without one, whatever it is given, or refuses in one sentence', async () => {
  const without = Object.entries((router as unknown as Router)[DEFINITION].procedures).filter(
    ([path, { [DEFINITION]: of }]) => of.inputs[0] === undefined && !BEGIN_WORK.has(path),
  );
  expect(without.length).toBeGreaterThan(30);
  for (const [path, { [DEFINITION]: of }] of without) {
    const usual = await ask(path, of.type === 'query', undefined);
    for (const input of [12_345, 'text', { deep: [1] }, null]) {
      const { status, message } = await ask(path, of.type === 'query', input);
      const about = `${path} ${JSON.stringify(input)}\n${message}`;
      expect(status, about).toBe(usual.status);
      expect(status, about).toBeLessThan(500);
      if (status >= 400) expect(message, about).toMatch(SENTENCE);
    }
  }
});

it('every verb refuses ten inputs of its own form that are wrong in one place', async () => {
  const refused = new Map<string, number>();
  for (const [number, { path, isQuery, schema }] of verbs().entries()) {
    const draw = new Draw(number);
    for (let left = 10, tries = 200; left > 0 && tries > 0; tries -= 1) {
      const right = drawnFor(schema, draw);
      const place = draw.pick(placesIn(right));
      const input: unknown = JSON.parse(JSON.stringify(withPlace(right, place, hostileValue(draw)) ?? null));
      if (schema.safeParse(input).success) continue;
      left -= 1;
      refused.set(path, (refused.get(path) ?? 0) + 1);
      await expectRefused(
        path,
        isQuery,
        input,
        `${path}, draw ${number}: ${JSON.stringify(input).slice(0, 900)}`,
      );
    }
  }
  expectEach(refused, 1);
});

/** Begin work of minutes where their input is right, or take the machine's time for it. */
const LONG = new Set([
  'runs.start',
  'plan.probe',
  'evaluations.start',
  'evaluations.evaluate',
  'judges.calibrate',
  'judges.probe',
  'demo.start',
  'lab.backUp',
]);
/** Read or write where a person says; they are asked with places of every kind elsewhere. */
const namesPlace = (schema: z.ZodType): boolean =>
  placesIn(drawnFor(schema, new Draw(0))).some((place) =>
    /^(?:path|folder|file|target|to|out)$/.test(place.at(-1) ?? ''),
  ) ||
  /"(?:path|folder|file|target|to|out)"/.test(
    JSON.stringify(z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' })),
  );

it('a name that every object has a member of is nobody’s name', async () => {
  for (const subject of ['toString', 'model:constructor', '__proto__']) {
    const { status, message } = await ask('asking.context', true, { subject });
    expect([status, message]).toEqual([400, expect.stringMatching(SENTENCE)]);
  }
});

it('every verb answers input that its schema takes, or refuses it with one sentence', async () => {
  const codes: Record<number, number> = {};
  for (const [number, { path, isQuery, schema }] of verbs().entries()) {
    if (LONG.has(path) || namesPlace(schema)) continue;
    const draw = new Draw(1000 + number);
    for (let left = 5, tries = 40; left > 0 && tries > 0; tries -= 1) {
      const input: unknown = JSON.parse(JSON.stringify(drawnFor(schema, draw) ?? null));
      if (!schema.safeParse(input).success) continue;
      left -= 1;
      const about = `${path}, draw ${1000 + number}: ${JSON.stringify(input).slice(0, 900)}`;
      const { status, message } = await ask(path, isQuery, input);
      expect(status, `${about}\n${message}`).toBeLessThan(500);
      if (status >= 400) expect(message, about).toMatch(SENTENCE);
      codes[status] = (codes[status] ?? 0) + 1;
    }
  }
  expect(codes[200]).toBeGreaterThan(100);
  expect(codes[400]).toBeGreaterThan(100);
});

it.each([
  ['lists', (depth: number) => '['.repeat(depth) + ']'.repeat(depth)],
  ['sections', (depth: number) => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth)],
])('settings of 100,000 %s within each other are refused', async (_what, nested) => {
  for (const path of ['runs.start', 'plan.probe']) {
    const body = `{"supervision":{"reviewerSettings":{"a":${nested(100_000)}}}}`;
    const response = await fetchRequestHandler({
      endpoint: '/verbs',
      router,
      req: new Request(`http://lab/verbs/${path}`, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json' },
      }),
    });
    const { error } = (await response.json()) as { error: { message: string } };
    expect(response.status, error.message).toBe(400);
    expect(error.message).toMatch(SENTENCE);
  }
});

it('a verb whose file finds no room on the disk ends with one sentence', async () => {
  const full = Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC', path: '/lab/file' });
  const caller = makeRouter({
    keep: verb.mutation(() => {
      throw full;
    }),
  }).createCaller({});
  await expect(caller.keep()).rejects.toThrow(
    'A file of keep could not be written (/lab/file): the disk is full. Free some space and try again.',
  );
});
