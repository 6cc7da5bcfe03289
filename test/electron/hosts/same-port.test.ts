import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { serveLab } from '../../../electron/hosts/index.ts';
import { makeLab, type Lab } from '../engine/in-engine.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await makeLab();
});
afterAll(() => lab.remove());

const bundle = { file: () => null } as never;

it("a lab's window comes back on the port it had, where nobody took it; what serves verbs only leaves it alone", async () => {
  const first = await serveLab(lab.engine, { port: 0, bundle });
  await first.close();
  const verbs = await serveLab(lab.engine, { port: 0, bundle: null });
  expect(verbs.url).not.toBe(first.url);
  await verbs.close();
  const second = await serveLab(lab.engine, { port: 0, bundle });
  expect(second.url).toBe(first.url);
  await second.close();
  const taken = createServer().listen(Number(new URL(first.url).port), '127.0.0.1');
  await new Promise((resolve) => taken.once('listening', resolve));
  const third = await serveLab(lab.engine, { port: 0, bundle });
  expect(third.url).not.toBe(first.url);
  await third.close();
  taken.close();
});
