/** What programs may not do in EvalPlus: there these are None while a program runs, so that calling one is an exception. */
const BUILTINS = ['exit', 'help', 'open', 'quit'];
const OF_OS = [
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
];
/** Modules that cannot be imported there. */
const MODULES = ['ipdb', 'joblib', 'psutil', 'resource', 'tkinter'];

const list = (names: readonly string[]): string => JSON.stringify(names);
const PRELUDE = [
  'import builtins as _b, io as _i, os as _o, sys as _s',
  `for _n in ${list(BUILTINS)}: setattr(_b, _n, None)`,
  `for _n in ${list(OF_OS)}: setattr(_o, _n, None)`,
  `for _n in ${list(MODULES)}: _s.modules[_n] = None`,
  // Reading what nobody types is an OSError there, not the end of a file.
  'def _read(*_): raise OSError()',
  '_s.stdin = type("Unreadable", (_i.StringIO,), {"read": _read, "readline": _read, "readlines": _read, "readable": lambda self: False})()',
  'del _b, _i, _o, _s, _n, _read',
].join('\n');

/**
 * The program as EvalPlus lets it run. The sandbox does not need this: some of it is harmless there, and a program that opens
 * a scratch file, say, would pass here and fail in published scores. The program is executed from a text of its own, because
 * a `from __future__` must come first in it.
 */
export function guarded(program: string): string {
  return `${beforehand(program)}${PRELUDE}\nexec(compile(${JSON.stringify(program)}, "<program>", "exec", dont_inherit=True), globals())\n`;
}

/** These need, while they are imported, what is None afterwards; the original has imported them long before. */
function beforehand(program: string): string {
  const named = ['multiprocessing', 'numpy'].filter((name) => program.includes(name));
  return named.map((name) => `try: import ${name}\nexcept ImportError: pass\nelse: del ${name}\n`).join('');
}
