/**
 * strict is the sound behaviour and the default. azr-compat repeats what the original repository does, faults included, so
 * that a run can be compared with one of the original (see facts in each function's comment).
 */
export type Compatibility = 'strict' | 'azr-compat';
