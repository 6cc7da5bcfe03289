import { fetchRequestHandler } from '@trpc/server/adapters/fetch';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { z } from 'zod';
import { createRouter } from '../../../electron/engine/index.ts';
import { makeLab, type Lab } from './in-engine.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await makeLab();
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

it('every verb refuses input of a wrong type with one sentence that names it', async () => {
  const router = createRouter(lab.engine);
  const { procedures } = (router as unknown as Router)[DEFINITION];
  let refused = 0;
  for (const [path, { [DEFINITION]: verb }] of Object.entries(procedures))
    for (const input of WRONG) {
      const isRight = verb.inputs.every((schema) => schema.safeParse(input).success);
      // What is right would be carried out; a subscription has no answer to compare.
      if (isRight || verb.type === 'subscription') continue;
      const text = JSON.stringify(input);
      const query = verb.type === 'query';
      const response = await fetchRequestHandler({
        endpoint: '/verbs',
        router,
        req: new Request(
          `http://lab/verbs/${path}${query ? `?input=${encodeURIComponent(text)}` : ''}`,
          query ? {} : { method: 'POST', body: text, headers: { 'content-type': 'application/json' } },
        ),
      });
      const { error } = (await response.json()) as { error: { message: string } };
      expect(response.status, `${path} ${text}`).toBe(400);
      expect(error.message, `${path} ${text}`).toMatch(/^[A-Z][^\n{}]{8,400}\.$/);
      expect(error.message, `${path} ${text}`).toContain(` of ${path} is wrong: `);
      refused += 1;
    }
  expect(refused).toBeGreaterThan(500);
});
