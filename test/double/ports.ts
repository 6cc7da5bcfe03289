import { EventEmitter } from 'node:events';
import { cloned } from './strict.ts';

/** Where the messages of a port go once it was handed to a process. */
export type Wire = { send(port: number, data: unknown): void; closed(port: number): void };

let lastId = 0;
const ports = new Map<number, DoublePort>();

/** One end of a channel. Kept here even when a process has it, because the stand-in carries its messages through this process. */
export class DoublePort extends EventEmitter {
  readonly id = (lastId += 1);
  peer: DoublePort | null = null;
  #wire: Wire | null = null;
  #waiting: unknown[] | null = [];

  constructor() {
    super();
    ports.set(this.id, this);
  }

  postMessage(data: unknown): void {
    this.peer?.arrive(cloned(data));
  }

  start(): void {
    for (const data of this.#waiting?.splice(0) ?? []) this.emit('message', { data, ports: [] });
    this.#waiting = null;
  }

  close(): void {
    ports.delete(this.id);
    const { peer } = this;
    this.peer = null;
    if (peer === null) return;
    peer.peer = null;
    ports.delete(peer.id);
    peer.end();
  }

  /** From now on what arrives goes over the wire. */
  handTo(wire: Wire): void {
    this.#wire = wire;
    for (const data of this.#waiting?.splice(0) ?? []) wire.send(this.id, data);
  }

  arrive(data: unknown): void {
    if (this.#wire !== null) this.#wire.send(this.id, data);
    else if (this.#waiting !== null) this.#waiting.push(data);
    else this.emit('message', { data, ports: [] });
  }

  end(): void {
    if (this.#wire === null) this.emit('close');
    else this.#wire.closed(this.id);
  }
}

export const portOf = (id: number): DoublePort | undefined => ports.get(id);

export class MessageChannelMain {
  readonly port1 = new DoublePort();
  readonly port2 = new DoublePort();

  constructor() {
    this.port1.peer = this.port2;
    this.port2.peer = this.port1;
  }
}
