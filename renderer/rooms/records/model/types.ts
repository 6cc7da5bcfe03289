import type { api } from '../../../data/index.ts';

/** A record with everything said about it, as the engine answers. */
export type FullRecord = NonNullable<Awaited<ReturnType<typeof api.records.get.query>>>;
export type Rollout = FullRecord['rollout'];
export type Review = FullRecord['reviews'][number];
export type Task = NonNullable<FullRecord['task']>;
export type Facets = Awaited<ReturnType<typeof api.records.facets.query>>;
export type Found = Awaited<ReturnType<typeof api.records.find.query>>;
