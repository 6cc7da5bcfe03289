import { killWriters } from './support/kill-writers.ts';

killWriters({ lanes: 1, labs: 2, killsPerLab: 4 });
