import type { Room } from '../ui/index.ts';
import { askingRoom } from '../rooms/asking/index.ts';
import { contextsRoom } from '../rooms/contexts/index.ts';
import { demoRoom } from '../rooms/demo/index.ts';
import { evaluationsRoom } from '../rooms/evaluations/index.ts';
import { libraryRoom } from '../rooms/library/index.ts';
import { liveRoom } from '../rooms/live/index.ts';
import { newRunRoom } from '../rooms/new-run/index.ts';
import { recordsRoom } from '../rooms/records/index.ts';
import { reviewsRoom } from '../rooms/reviews/index.ts';
import { runsRoom } from '../rooms/runs/index.ts';
import { settingsRoom } from '../rooms/settings/index.ts';
import { tourRoom } from '../rooms/tour/index.ts';

/** Every room of the window. */
export const ROOMS: readonly Room[] = [
  runsRoom,
  newRunRoom,
  liveRoom,
  recordsRoom,
  contextsRoom,
  reviewsRoom,
  evaluationsRoom,
  askingRoom,
  libraryRoom,
  settingsRoom,
  demoRoom,
  tourRoom,
];

/** The rooms that have a place in the rail at the left. */
export const RAIL = ROOMS.flatMap(({ id, rail }) => (rail === null ? [] : [{ id, ...rail }]));

/** Where the window begins. */
export const START_PATH = '/runs';
