import { join } from 'node:path';
import { Failure, type ModelRecord } from '../../contract/index.ts';
import type { ExportedRun, MadePolicy } from '../../engine/index.ts';
import type { Finding } from '../../machine/index.ts';
import { followJob } from '../progress.ts';
import type { Program } from '../program.ts';
import { absoluteModel } from '../../models/index.ts';
import { methodsText, planOf } from '../methods-text.ts';
import { formatBytes } from '../table.ts';

/** `anchor export`, `import` and `doctor`: what leaves a lab, what comes into its library, whether every part works. */
export function addLab(program: Program): void {
  addExport(program);
  addImport(program);
  addDoctor(program);
}

type ExportOptions = { to?: string; safetensors: boolean; gguf: boolean; peft?: boolean };

/** `anchor export`. */
function addExport(program: Program): void {
  program.command
    .command('export')
    .description(
      "Write a run into a new folder: step files and events under the paper's names, curves as CSV, the newest checkpoint.",
    )
    .argument('<run>', 'id of the run')
    .option('--to <folder>', 'folder to create (default: exports/<run> in the lab folder)')
    .option('--no-safetensors', 'leave the safetensors checkpoint out')
    .option('--no-gguf', 'leave the GGUF file out')
    .option('--peft', 'also write the adapter alone, for PEFT; of a run with train.lora')
    .action(async (id: string, options: ExportOptions) => {
      await program.withAnyEngine(async (engine, signal) => {
        const formats = [
          ...(options.safetensors ? ['safetensors' as const] : []),
          ...(options.gguf ? ['gguf' as const] : []),
          ...(options.peft === true ? ['peft' as const] : []),
        ];
        const job = await engine.exportRun(id, options.to ?? join(engine.lab.root, 'exports', id), formats);
        const { result, problem } = await followJob<ExportedRun>(program, engine, job, signal);
        if (result === null) return program.fail(problem ?? 'The run was not exported.');
        program.print(
          result,
          () => `Exported ${result.steps} steps to ${result.folder}: ${result.files.join(', ')}`,
        );
      });
    });
}

type ImportOptions = { name?: string | null; policy?: string; base?: string };

/** `anchor import`. */
function addImport(program: Program): void {
  program.command
    .command('import')
    .description(
      'Add a model to the library: a folder with config.json, safetensors and tokenizer.json (policy), or a .gguf file (supervisor). The files stay where they are. With --policy a .gguf file, or an adapter with its base, becomes such a folder.',
    )
    .argument('<path>', 'folder or file')
    .option('--name <name>', 'name in the library (default: that of the folder or file)')
    .option(
      '--policy <folder>',
      'make this new folder of a .gguf file or a PEFT adapter, and add it as a policy',
    )
    .option('--base <model>', 'of an adapter: the policy it was trained with, by its name or folder')
    .action(async (path: string, { name = null, policy, base }: ImportOptions) => {
      if (base !== undefined && policy === undefined)
        throw new Failure('usage', '--base needs --policy, which names the folder to make.', 2);
      await program.withAnyEngine(async (engine, signal) => {
        if (policy === undefined) {
          const model = await engine.importModel(path, name);
          return program.print(model, () => `${importedText(model)}, SHA-256 ${model.sha256.slice(0, 16)}…`);
        }
        const of = base === undefined ? null : absoluteModel(engine.store, base);
        const job = await engine.makePolicy({ path, base: of, folder: policy, name });
        const { result, problem } = await followJob<MadePolicy>(program, engine, job, signal);
        if (result === null) return program.fail(problem ?? 'No policy was made of it.');
        const { model, origin } = result;
        program.print({ model, ...origin }, () => `${importedText(model)}; ${originText(origin)}`);
      });
    });
}

function importedText({ kind, name, architecture, parameters, bytes }: ModelRecord): string {
  const size = `${parameters === null ? '' : `${(parameters / 1e6).toFixed(1)} M parameters, `}${formatBytes(bytes)}`;
  return `Imported ${kind} "${name}" (${architecture}, ${size})`;
}

function originText(origin: MadePolicy['origin']): string {
  if ('base' in origin)
    return `its weights are those of ${origin.base} with the adapter ${origin.from} (rank ${origin.rank}) added, in float32.`;
  const { from, quantization, dequantized } = origin;
  return dequantized
    ? `its weights were dequantized from ${quantization} in ${from} and are not those of the original model.`
    : `its weights are those of ${from} (${quantization}).`;
}

/** `anchor doctor`. */
function addDoctor(program: Program): void {
  program.command
    .command('doctor')
    .description(
      'Try every part for real (Python, sandbox, supervisor, models, disk) and name the fix for what is missing. Exit code 1 when something is.',
    )
    .option('--model <name>', 'also say what each way to train this policy would take here')
    .action(async ({ model }: { model?: string }) => {
      await program.withAnyEngine(async (engine, signal) => {
        const job = await engine.doctor();
        const { result: findings, problem } = await followJob<Finding[]>(program, engine, job, signal);
        if (findings === null) return program.fail(problem ?? 'The check did not come to its end.');
        const methods =
          model === undefined ? null : await engine.planMethods(planOf(absoluteModel(engine.store, model)));
        program.print(methods === null ? findings : { findings, methods }, () =>
          [
            ...findings.map(
              ({ part, ok, detail, fix }) =>
                `${ok ? 'ok  ' : 'FIX '} ${part.padEnd(11)} ${detail}${fix === null ? '' : `\n                 → ${fix}`}`,
            ),
            ...(methods === null ? [] : ['', methodsText(methods)]),
          ].join('\n'),
        );
        if (findings.some((finding) => !finding.ok)) program.exitCode = 1;
      });
    });
}
