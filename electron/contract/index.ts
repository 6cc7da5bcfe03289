export * from './names.ts';
export * from './run-config.ts';
export * from './values.ts';
export * from './records.ts';
export * from './review.ts';
export * from './events.ts';
export * from './failure.ts';
