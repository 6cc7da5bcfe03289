/** Functions of os that are None while EvalPlus and LiveCodeBench run a program: the guard of HumanEval, which both took over. */
export const WITHHELD_OF_OS = [
  'chdir',
  'chmod',
  'chown',
  'chroot',
  'fchdir',
  'fchmod',
  'fchown',
  'fork',
  'forkpty',
  'getcwd',
  'kill',
  'killpg',
  'lchflags',
  'lchmod',
  'lchown',
  'putenv',
  'remove',
  'removedirs',
  'rename',
  'renames',
  'replace',
  'rmdir',
  'setuid',
  'system',
  'truncate',
  'unlink',
] as const;

/** Modules that cannot be imported there. */
export const WITHHELD_MODULES = ['ipdb', 'joblib', 'psutil', 'resource', 'tkinter'] as const;
