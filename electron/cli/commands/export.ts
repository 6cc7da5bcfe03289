import { join } from 'node:path';
import type { Program } from '../program.ts';

/** `anchor export`. */
export function addExport(program: Program): void {
  program.command
    .command('export')
    .description(
      "Write a run into a new folder: step files and events under the paper's names, curves as CSV, the newest checkpoint.",
    )
    .argument('<run>', 'id of the run')
    .option('--to <folder>', 'folder to create (default: exports/<run> in the lab folder)')
    .option('--no-safetensors', 'leave the safetensors checkpoint out')
    .option('--no-gguf', 'leave the GGUF file out')
    .action(async (id: string, options: { to?: string; safetensors: boolean; gguf: boolean }) => {
      await program.withEngine(async (engine) => {
        const formats = [
          ...(options.safetensors ? ['safetensors' as const] : []),
          ...(options.gguf ? ['gguf' as const] : []),
        ];
        const exported = await engine.exportRun(
          id,
          options.to ?? join(engine.lab.root, 'exports', id),
          formats,
        );
        program.print(
          exported,
          () => `Exported ${exported.steps} steps to ${exported.folder}: ${exported.files.join(', ')}`,
        );
      });
    });
}
