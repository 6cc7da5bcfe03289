import { join } from 'node:path';
import { sha256Hex } from '../../electron/core/index.ts';
import type { Engine } from '../../electron/engine/index.ts';
import type { FaultName, Faults } from './faults.ts';
import { realFiles } from './system.ts';
import type { Draws, World } from './world.ts';

const DATABASE = 'lab.sqlite';
const LOG = `${DATABASE}-wal`;
const RESCUED = /-rescued\.sqlite$/;
const WEIGHTS = 'model.safetensors';

/** The simulation, as far as it can be damaged. */
export type Harmed = {
  readonly world: World;
  readonly faults: Faults;
  readonly engine: Pick<Engine, 'store'>;
  /** Folders of the lab, and of what was taken away from it. */
  readonly lab: string;
  readonly trash: string;
  /** Set when somebody wants the program to be closed and opened again. */
  wantsRestart: boolean;
  /** No write finds room for so long. */
  fillDisk(milliseconds: number): void;
};

/** What somebody does to a lab while it is open, and how a person puts it right afterwards. What is taken away goes to the folder `trash`. */
export class Damage {
  readonly #simulation: Harmed;
  /** What damaged checkpoint files were before. */
  readonly #before = new Map<string, Buffer>();
  #database: 'none' | 'file' | 'log' = 'none';
  /** Copies that the engine saved, as of the moment when the database was last whole. */
  #rescuedBefore = 0;

  constructor(simulation: Harmed) {
    this.#simulation = simulation;
  }

  get files(): ReadonlySet<string> {
    return new Set(this.#before.keys());
  }

  get isOfTheDatabase(): boolean {
    return this.#database !== 'none';
  }

  /** Something of what this world's faults allow, now and then. */
  maybe(draws: Draws): void {
    const strikes = (fault: FaultName): boolean => this.#simulation.faults.strikes(fault, draws, 'somebody');
    if (strikes('the disk fills up')) this.#simulation.fillDisk(draws.spread(100, 60_000));
    if (strikes('the lock is deleted')) this.#take('anchor.lock');
    if (strikes('a bit of a checkpoint flips')) this.#harmCheckpoint(draws, false);
    if (strikes('a checkpoint is exchanged')) this.#harmCheckpoint(draws, true);
    if (draws.chance(0.02)) this.mendFiles();
    if (this.isOfTheDatabase) return;
    if (strikes('the database is deleted')) this.#takeDatabase('file', null);
    else if (strikes('the database is replaced')) this.#takeDatabase('file', DATABASE);
    else if (strikes('the log is deleted')) this.#takeDatabase('log', null);
    if (this.isOfTheDatabase)
      this.#simulation.world.after(
        draws.spread(100, 200_000),
        'somebody starts the program again',
        () => (this.#simulation.wantsRestart = true),
        'outside',
      );
  }

  #path(...names: string[]): string {
    return join(this.#simulation.lab, ...names);
  }

  #inTrash(name: string): string {
    return join(this.#simulation.trash, name);
  }

  #take(name: string): boolean {
    if (!realFiles.existsSync(this.#path(name))) return false;
    realFiles.mkdirSync(this.#simulation.trash, { recursive: true });
    realFiles.renameSync(this.#path(name), this.#inTrash(name));
    return true;
  }

  #takeDatabase(what: 'file' | 'log', replacement: string | null): void {
    if (!this.#take(what === 'file' ? DATABASE : LOG)) return;
    if (replacement !== null) realFiles.copyFileSync(this.#inTrash(replacement), this.#path(replacement));
    this.#rescuedBefore = this.#rescued().length;
    this.#database = what;
  }

  #rescued(): string[] {
    const folder = this.#path('backups');
    return realFiles.existsSync(folder)
      ? realFiles
          .readdirSync(folder)
          .filter((name) => RESCUED.test(name))
          .toSorted()
      : [];
  }

  /** Before the lab is opened again a person puts back what the engine saved, or else what lies in the trash. */
  mendDatabase(): void {
    const copies = this.#rescued();
    const copy = copies.length > this.#rescuedBefore ? (copies.at(-1) as string) : null;
    if (this.#database === 'file') {
      if (copy === null) realFiles.renameSync(this.#inTrash(DATABASE), this.#path(DATABASE));
      // As the engine's sentence says: what lies beside it stays.
      else realFiles.copyFileSync(this.#path('backups', copy), this.#path(DATABASE));
    } else if (this.#database === 'log' && !realFiles.existsSync(this.#path(LOG)))
      realFiles.renameSync(this.#inTrash(LOG), this.#path(LOG));
    if (this.isOfTheDatabase)
      this.#simulation.world.trace(
        `somebody puts back ${copy === null ? 'what was taken' : 'the rescued copy'}`,
      );
    this.#database = 'none';
  }

  /** The newest stored checkpoint of some run; `consistent` where the damage is one that only a record elsewhere can show. */
  #harmCheckpoint(draws: Draws, consistent: boolean): void {
    const { engine } = this.#simulation;
    const runs = engine.store.listRuns({}, { limit: 500 }).rows;
    if (runs.length === 0) return;
    const { id, folder } = draws.pick(runs);
    const newest = engine.store.listCheckpoints(id).at(-1);
    if (newest === undefined) return;
    const inFolder = (name: string): string => this.#path(folder, 'checkpoints', newest.folder, name);
    const harm = (name: string, change: (content: Buffer) => Buffer): void => {
      const path = inFolder(name);
      if (!realFiles.existsSync(path)) return;
      // What was harmed before may be no JSON any more.
      const sound = this.#before.get(path) ?? realFiles.readFileSync(path);
      this.#before.set(path, sound);
      realFiles.writeFileSync(path, change(Buffer.from(sound)));
    };
    if (!consistent)
      return harm(draws.pick(newest.files).path, (content) => {
        const at = draws.below(content.length);
        content[at] = (content[at] as number) ^ (1 << draws.below(8));
        return content;
      });
    harm(WEIGHTS, (content) => {
      content.write(sha256Hex(String(draws.next())), content.length - 64, 'latin1');
      return content;
    });
    if (!realFiles.existsSync(inFolder('trainer.json'))) return;
    const sha256 = sha256Hex(realFiles.readFileSync(inFolder(WEIGHTS)));
    harm('trainer.json', (content) =>
      Buffer.from(JSON.stringify({ ...(JSON.parse(content.toString()) as object), sha256 })),
    );
  }

  /** A person puts the files of checkpoints back. */
  mendFiles(): void {
    for (const [path, content] of this.#before)
      if (realFiles.existsSync(path)) realFiles.writeFileSync(path, content);
    this.#before.clear();
  }
}
