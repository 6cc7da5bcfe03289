import { formatBytes } from '../table.ts';
import type { Program } from '../program.ts';

/** `anchor import`. */
export function addImport(program: Program): void {
  program.command
    .command('import')
    .description(
      'Add a model to the library: a folder with config.json, safetensors and tokenizer.json (policy), or a .gguf file (supervisor). The files stay where they are.',
    )
    .argument('<path>', 'folder or file')
    .option('--name <name>', 'name in the library (default: that of the folder or file)')
    .action(async (path: string, options: { name?: string }) => {
      await program.withEngine(async (engine) => {
        const model = await engine.importModel(path, options.name ?? null);
        const size = `${model.parameters === null ? '' : `${(model.parameters / 1e6).toFixed(1)} M parameters, `}${formatBytes(model.bytes)}`;
        program.print(
          model,
          () =>
            `Imported ${model.kind} "${model.name}" (${model.architecture}, ${size}), SHA-256 ${model.sha256.slice(0, 16)}…`,
        );
      });
    });
}
