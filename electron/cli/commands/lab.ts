import { join } from 'node:path';
import type { ModelRecord } from '../../contract/index.ts';
import type { ConvertedModel, ExportedRun } from '../../engine/index.ts';
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

/** `anchor import`. */
function addImport(program: Program): void {
  program.command
    .command('import')
    .description(
      'Add a model to the library: a folder with config.json, safetensors and tokenizer.json (policy), or a .gguf file (supervisor). The files stay where they are. With --policy a .gguf file becomes such a folder.',
    )
    .argument('<path>', 'folder or file')
    .option('--name <name>', 'name in the library (default: that of the folder or file)')
    .option('--policy <folder>', 'convert a .gguf file into this new folder, which is added as a policy')
    .action(async (path: string, { name = null, policy }: { name?: string | null; policy?: string }) => {
      await program.withAnyEngine(async (engine, signal) => {
        if (policy === undefined) {
          const model = await engine.importModel(path, name);
          return program.print(model, () => `${importedText(model)}, SHA-256 ${model.sha256.slice(0, 16)}…`);
        }
        const job = await engine.importGguf(path, policy, name);
        const { result, problem } = await followJob<ConvertedModel>(program, engine, job, signal);
        if (result === null) return program.fail(problem ?? 'The file was not converted.');
        program.print(result, () => `${importedText(result.model)}; ${originText(result)}`);
      });
    });
}

function importedText({ kind, name, architecture, parameters, bytes }: ModelRecord): string {
  const size = `${parameters === null ? '' : `${(parameters / 1e6).toFixed(1)} M parameters, `}${formatBytes(bytes)}`;
  return `Imported ${kind} "${name}" (${architecture}, ${size})`;
}

const originText = ({ from, quantization, dequantized }: ConvertedModel): string =>
  dequantized
    ? `its weights were dequantized from ${quantization} in ${from} and are not those of the original model.`
    : `its weights are those of ${from} (${quantization}).`;

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
