import { describe, expect, it } from 'vitest';
import { runConfigSchema } from '../../../../electron/contract/index.ts';
import {
  ggufRows,
  trainerRollout,
  trainerWindow,
} from '../../../../electron/evaluation/plan/answer-windows.ts';

const QWEN_1_5B = { contextTokens: 32_768, cacheBytesPerToken: 28_672 };
const LLAMA_8B = { contextTokens: 131_072, cacheBytesPerToken: 131_072 };

describe('the rows of a GGUF model', () => {
  it('are eight, in one size of window for all suites of short answers', () => {
    for (const maxNewTokens of [16, 512, 1024])
      expect(ggufRows(QWEN_1_5B, maxNewTokens)).toEqual({ rows: 8, contextTokens: 5120, loopTokens: 512 });
    expect(ggufRows(QWEN_1_5B, 4096)).toMatchObject({ rows: 8, contextTokens: 8192 });
    expect(ggufRows(QWEN_1_5B, 8000)).toMatchObject({ rows: 8, contextTokens: 4096 + 8192 });
  });

  it('are fewer where keys and values would take more than 4 GiB', () => {
    expect(ggufRows(LLAMA_8B, 512)).toMatchObject({ rows: 4, contextTokens: 5120 });
    expect(ggufRows(LLAMA_8B, 4096)).toMatchObject({ rows: 4, contextTokens: 8192 });
    expect(ggufRows({ ...LLAMA_8B, cacheBytesPerToken: null }, 4096)).toMatchObject({ rows: 1 });
  });

  it('have no larger windows than the model', () => {
    expect(ggufRows({ contextTokens: 512, cacheBytesPerToken: 1000 }, 256)).toMatchObject({
      contextTokens: 512,
    });
    expect(ggufRows({ contextTokens: null, cacheBytesPerToken: 1000 }, 64_000).contextTokens).toBe(8192);
  });
});

describe('the window of a trainer', () => {
  it('has room for whichever of its suites takes most, which need not be that of the longest answers', () => {
    const config = runConfigSchema.parse({ generation: { maxPromptTokens: 6144 } });
    const subject = { config, contextTokens: null };
    const windows = [128, 512].map((length) => trainerWindow(subject, length));
    expect(windows).toEqual([6144 + 128, 4096 + 512]);
    expect(trainerRollout(subject, [128, 512])).toEqual({ maxSeqTokens: 6272, maxConcurrent: 20 });
    expect(trainerRollout(subject, [512])).toEqual({ maxSeqTokens: 4608, maxConcurrent: 28 });
    expect(trainerRollout({ ...subject, contextTokens: 2048 }, [128, 512]).maxSeqTokens).toBe(2048);
  });
});
