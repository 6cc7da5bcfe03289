import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { LinePeer, type JsonObject } from '../../../electron/processes/child/line-peer.ts';

const CAP = 1024 * 1024;

function peer(maxLineBytes = CAP, output = new PassThrough()) {
  const input = new PassThrough();
  const heard: JsonObject[] = [];
  const errors: string[] = [];
  const ends: number[] = [];
  const line = new LinePeer({
    name: 'trainer',
    input,
    output,
    maxLineBytes,
    onMessage: (message) => heard.push(message),
    onProtocolError: (failure) => errors.push(failure.message),
    onEnd: (unfinished) => ends.push(unfinished),
  });
  return { input, output, heard, errors, ends, line };
}

const settle = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(() => setImmediate(resolve));
  });

describe('reading lines', () => {
  it('puts a message together whose bytes arrive one by one', async () => {
    const { input, heard, errors } = peer();
    for (const byte of Buffer.from('{"text":"naïve ☃ 𝄞"}\n')) input.write(Buffer.from([byte]));
    await settle();
    expect(heard).toEqual([{ text: 'naïve ☃ 𝄞' }]);
    expect(errors).toEqual([]);
  });

  it('takes several messages out of one chunk and keeps the half one for later', async () => {
    const { input, heard } = peer();
    input.write('{"a":1}\n{"a":2}\n{"a"');
    await settle();
    expect(heard).toEqual([{ a: 1 }, { a: 2 }]);
    input.write(':3}\n');
    await settle();
    expect(heard).toEqual([{ a: 1 }, { a: 2 }, { a: 3 }]);
  });

  it.each([
    ['a stray print', Buffer.from('Loading weights: 100%\n'), /not a JSON object: "Loading weights/],
    ['an empty line', Buffer.from('\n'), /not a JSON object/],
    ['NaN', Buffer.from('{"loss":NaN}\n'), /not a JSON object/],
    ['Infinity', Buffer.from('{"loss":-Infinity}\n'), /not a JSON object/],
    ['a list', Buffer.from('[1,2]\n'), /not a JSON object/],
    ['a bare null', Buffer.from('null\n'), /not a JSON object/],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d, 0x0a]), /not valid UTF-8/],
    ['a NUL byte', Buffer.from('{"a":"\u0000"}\n'), /not a JSON object/],
  ])('names the process for %s and reads on', async (_what, junk, sentence) => {
    const { input, heard, errors } = peer();
    input.write('{"before":1}\n');
    input.write(junk);
    input.write('{"after":2}\n');
    await settle();
    expect(heard).toEqual([{ before: 1 }, { after: 2 }]);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatch(/^The trainer sent/);
    expect(errors[0]).toMatch(sentence);
  });

  it('drops a line of 20 MB without keeping it and reads on', async () => {
    const { input, heard, errors } = peer();
    const before = process.memoryUsage().arrayBuffers;
    const chunk = Buffer.alloc(64 * 1024, 0x61);
    for (let sent = 0; sent < 20 * 1024 * 1024; sent += chunk.length) {
      input.write(chunk);
      await settle();
    }
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(5 * CAP);
    input.write('\n{"after":1}\n');
    await settle();
    expect(errors).toEqual([
      `The trainer sent a line of ${20 * 1024 * 1024} bytes, over the limit of ${CAP}, which its protocol does not allow.`,
    ]);
    expect(heard).toEqual([{ after: 1 }]);
  });

  it('accepts a line of exactly the limit and refuses one byte more', async () => {
    const { input, heard, errors } = peer(10);
    input.write('{"a":1234}\n{"a":12345}\n');
    await settle();
    expect(heard).toEqual([{ a: 1234 }]);
    expect(errors).toHaveLength(1);
  });

  it('tells once that the other end closed, and how much of a line was left over', async () => {
    const { input, ends } = peer();
    input.write('{"half":');
    input.end();
    await settle();
    input.destroy();
    await settle();
    expect(ends).toEqual([8]);
  });

  it('takes a __proto__ key as data', async () => {
    const { input, heard } = peer();
    input.write('{"__proto__":{"polluted":true}}\n');
    await settle();
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(Object.keys(heard[0] ?? {})).toEqual(['__proto__']);
  });
});

describe('writing lines', () => {
  it('refuses numbers JSON would turn into null, naming the field', async () => {
    const { line } = peer();
    await expect(line.send({ items: [{ advantage: Number.NaN }] })).rejects.toThrow(
      /"advantage" of a request is NaN/,
    );
  });

  it('refuses a line the other side would drop, before anything is written', async () => {
    const { line, output } = peer(100);
    await expect(line.send({ text: 'x'.repeat(200) })).rejects.toMatchObject({ kind: 'tooLarge' });
    expect(output.readableLength).toBe(0);
  });

  it('lets any number of senders wait for a slow reader with one listener', async () => {
    const output = new PassThrough({ highWaterMark: 64 });
    const { line } = peer(CAP, output);
    const sent = Array.from({ length: 500 }, (_, number) => line.send({ number }));
    await settle();
    expect([output.listenerCount('drain'), output.listenerCount('close')]).toEqual([1, 1]);
    output.resume();
    await Promise.all(sent);
    await settle();
    expect([output.listenerCount('drain'), output.listenerCount('close')]).toEqual([0, 0]);
  });

  it('holds the sender back until a slow reader catches up', async () => {
    const output = new PassThrough({ highWaterMark: 64 });
    const { line } = peer(CAP, output);
    let sent = false;
    const sending = line.send({ text: 'x'.repeat(1000) }).finally(() => {
      sent = true;
    });
    await settle();
    expect(sent).toBe(false);
    output.resume();
    await sending;
    expect(sent).toBe(true);
  });
});
