// @module-tag full
import { killWriters } from './support/kill-writers.ts';

killWriters({ lanes: 2, labs: 3, killsPerLab: 7 });
