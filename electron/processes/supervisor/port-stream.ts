import { Duplex } from 'node:stream';

/** The part of Electron's MessagePortMain that a stream needs. */
export type Port = {
  on(event: 'message', hear: (event: { data: unknown }) => void): unknown;
  on(event: 'close', hear: () => void): unknown;
  postMessage(message: unknown, transfer?: never[]): void;
  start(): void;
  close(): void;
};

/** A message port as a stream of bytes, for protocols that are made of lines. What is written before the port is there waits for it. */
export class PortStream extends Duplex {
  #port: Port | null = null;
  #waiting: Buffer[] = [];

  attach(port: Port): void {
    this.#port = port;
    port.on('message', ({ data }) => {
      if (data instanceof Uint8Array && !this.destroyed) this.push(Buffer.from(data));
    });
    port.on('close', () => {
      if (!this.destroyed) this.push(null);
    });
    port.start();
    for (const chunk of this.#waiting.splice(0)) this.#send(chunk);
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    if (this.#port === null) this.#waiting.push(chunk);
    else this.#send(chunk);
    done();
  }

  override _final(done: () => void): void {
    this.#port?.close();
    done();
  }

  /** A copy: the pool behind a small Buffer would travel along. */
  #send(chunk: Buffer): void {
    this.#port?.postMessage(new Uint8Array(chunk), []);
  }
}
