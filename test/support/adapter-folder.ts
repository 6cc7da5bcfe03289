import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { APPLICATION } from './engine.ts';

const PYTHON = join(APPLICATION, '.venv/bin/python');
export const EMBEDDED_POLICY_FOLDER = join(APPLICATION, 'resources/models/policy');

/** A LoRA adapter to the embedded policy as PEFT writes it, of rank 1 in one layer, with what else its configuration asks for. */
export async function writeAdapter(target: string, settings: object = {}): Promise<void> {
  const program = [
    'import json, sys, torch',
    'from pathlib import Path',
    'from safetensors.torch import load_file, save_file',
    'base, out, settings = Path(sys.argv[1]), Path(sys.argv[2]), json.loads(sys.argv[3])',
    'out.mkdir()',
    'layer = "model.layers.0.self_attn.q_proj"',
    'rows, columns = load_file(base / "model.safetensors")[f"{layer}.weight"].shape',
    'name = f"base_model.model.{layer}.lora_"',
    'save_file({f"{name}A.weight": torch.ones(1, columns), f"{name}B.weight": torch.full((rows, 1), 0.25)}, out / "adapter_model.safetensors")',
    'config = {"peft_type": "LORA", "base_model_name_or_path": "lab/tiny", "r": 1, "lora_alpha": 2, "target_modules": ["q_proj"]}',
    '(out / "adapter_config.json").write_text(json.dumps({**config, **settings}))',
  ].join('\n');
  await promisify(execFile)(PYTHON, [
    '-c',
    program,
    EMBEDDED_POLICY_FOLDER,
    target,
    JSON.stringify(settings),
  ]);
}
