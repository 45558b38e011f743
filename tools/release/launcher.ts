// Starts a program without a shell: in packages of npm, which Windows runs too, and in the image.

/** For each program, what it starts: the file in `dist`, and the command behind its name. */
export const programs: Readonly<Record<string, readonly [entry: string, command?: string]>> = {
  hawser: ['hawser.js'],
  'hawser-konnector': ['hawser.js', 'konnector'],
  'hawser-kbind': ['hawser.js', 'kbind'],
  'hawser-backend': ['hawser.js', 'backend'],
  'hawser-syncagent': ['hawser.js', 'syncagent'],
  'kubectl-bind': ['kubectl-bind.js'],
  'kubectl_complete-bind': ['kubectl-bind.js', '__complete'],
};

/**
 * Text of a module beside `../dist` for Node. It starts hawser with the memory settings of
 * `apps/supervisor/bin/hawser`, which explains them: it replaces itself by a Node that has them. On Windows, which
 * cannot replace a process, Node's defaults hold.
 */
export function launcher(name: string, node = '/usr/bin/env node'): string {
  const [entry = '', command] = programs[name] ?? [];
  return `#!${node}
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  console.error(\`${name} needs Node.js 22.19 or newer; this is \${process.versions.node}\`);
  process.exitCode = 127;
} else {
${command === undefined ? '' : `  process.argv.splice(2, 0, '${command}');\n`}${entry === 'hawser.js' ? replaced(entry) : ''}  await import('../dist/${entry}');
}
`;
}

function replaced(entry: string): string {
  return `  if (process.platform !== 'win32') {
    const { env } = process;
    const isAgent = process.argv[2] === 'syncagent';
    const semi = env.HAWSER_SEMI_SPACE_MB || (isAgent ? 2 : 8);
    env.MALLOC_ARENA_MAX ||= '2';
    env.MALLOC_MMAP_THRESHOLD_ ||= '131072';
    env.MALLOC_TRIM_THRESHOLD_ ||= '65536';
    process.execve(process.execPath, [
      process.execPath,
      ...process.execArgv,
      ...(isAgent ? ['--optimize-for-size'] : []),
      \`--max-semi-space-size=\${semi}\`,
      \`--min-semi-space-size=\${semi}\`,
      '--no-parallel-scavenge',
      '--initial-old-space-size=24',
      '--heap-growing-percent=20',
      '--v8-pool-size=2',
      '--disable-warning=ExperimentalWarning',
      new URL('../dist/${entry}', import.meta.url).pathname,
      ...process.argv.slice(2),
    ], env);
  }
`;
}
