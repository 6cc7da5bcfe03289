import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exporting, type Application } from '../engine/application.ts';
import { launch, type Door } from '../engine/launch.ts';
import { requireMovement, resultOf, shortRun, type Result, type Variant } from '../engine/short-run.ts';
import { readTrace } from '../power-cut/trace.ts';
import { shimEnvironment } from '../shim/shim.ts';
import type { Measure } from './strike.ts';

/** Where kills take place: scratch folder, application, compiled shim and Node's cache of compiled modules. */
export type Arena = { folder: string; application: Application; shim: string; compileCache: string };

export type Reference = { variant: Variant; config: string; result: Result; measure: Measure };

/** Runs a variant undisturbed and counts what happens in it. @throws an Error with the run's words when it does not end well. */
export async function undisturbed(arena: Arena, variant: Variant): Promise<Reference> {
  const lab = join(arena.folder, `undisturbed-${variant}`);
  const config = join(arena.folder, `${variant}.json`);
  writeFileSync(config, JSON.stringify(shortRun(variant)));
  const traces = { engine: `${lab}.engine-trace`, trainer: `${lab}.trainer-trace` };
  arena.application.beforeNext(
    'trainer',
    exporting(shimEnvironment(arena.shim, { under: `${lab}/`, trace: traces.trainer })),
  );
  const began = performance.now();
  const life = launchIn(
    arena,
    lab,
    'engine',
    { run: config },
    shimEnvironment(arena.shim, { under: `${lab}/`, trace: traces.engine }),
  );
  const { code } = await life.ended;
  if (code !== 0) throw new Error(`The undisturbed run (${variant}) did not end well: ${life.said()}`);
  const seconds = (performance.now() - began) / 1000;
  const operations = { engine: operationsIn(traces.engine), trainer: operationsIn(traces.trainer) };
  const result = resultOf(lab);
  requireMovement(result);
  for (const path of [lab, `${lab}.stderr`, traces.engine, traces.trainer])
    rmSync(path, { recursive: true, force: true });
  return { variant, config, result, measure: { seconds, events: life.events.length, operations } };
}

export function launchIn(
  arena: Arena,
  lab: string,
  door: Door,
  what: { run: string } | { resume: string },
  environment: Record<string, string> = {},
): ReturnType<typeof launch> {
  return launch({
    lab,
    application: arena.application.folder,
    door,
    what,
    environment: { ...environment, NODE_COMPILE_CACHE: arena.compileCache },
  });
}

function operationsIn(trace: string): number {
  return readTrace(readFileSync(trace)).length;
}
