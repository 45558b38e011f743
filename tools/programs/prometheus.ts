// Prometheus and promtool from Debian: unpacked into the cache; nothing is installed or started.
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { run } from '../run.ts';
import { cacheFolder, isExecutable } from './go-program.ts';

const names = ['promtool', 'prometheus'] as const;

/** Paths of both programs, or why they are unavailable. */
export type LocatedPrometheus =
  { readonly promtool: string; readonly prometheus: string } | { readonly missing: string };

/** Looks on the PATH and in the cache; then, unless `quick`, asks apt for the package. Never rejects. */
export async function locatePrometheus({
  quick = false,
  env = process.env,
}: { readonly quick?: boolean; readonly env?: NodeJS.ProcessEnv } = {}): Promise<LocatedPrometheus> {
  const folder = join(cacheFolder(env), 'programs', 'prometheus');
  const found = [...(env['PATH'] ?? '').split(delimiter), folder].find((candidate) =>
    names.every((name) => isExecutable(join(candidate, name))),
  );
  if (found !== undefined) return { promtool: join(found, 'promtool'), prometheus: join(found, 'prometheus') };
  if (quick) return { missing: `prometheus and promtool are not installed, and not in ${folder}` };
  const work = mkdtempSync(join(tmpdir(), 'prometheus-'));
  try {
    const download = await run('apt-get', ['download', 'prometheus'], { cwd: work, capture: true });
    const [archive] = readdirSync(work).filter((file) => file.endsWith('.deb'));
    if (!download.ok || archive === undefined) return { missing: `apt-get download prometheus: ${download.how}` };
    const unpacked = await run('dpkg-deb', ['-x', archive, 'package'], { cwd: work, capture: true });
    if (!unpacked.ok) return { missing: `dpkg-deb -x ${archive}: ${unpacked.how}` };
    const staged = `${folder}.${process.pid}`;
    mkdirSync(staged, { recursive: true });
    for (const name of names) copyFileSync(join(work, 'package/usr/bin', name), join(staged, name));
    renameSync(staged, folder);
    return { promtool: join(folder, 'promtool'), prometheus: join(folder, 'prometheus') };
  } catch (error) {
    return { missing: error instanceof Error ? error.message : String(error) };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
