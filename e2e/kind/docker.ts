import { run } from '../../tools/run.ts';

/** Why Docker is unavailable, or undefined if it is available. */
export async function withoutDocker(): Promise<string | undefined> {
  const { ok, stderr, how } = await run('docker', ['version', '--format', '{{.Server.Version}}'], {
    capture: true,
    timeoutMs: 20_000,
  });
  return ok ? undefined : `there is no Docker: ${lastLine(stderr) || how}`;
}

/** Whether the image exists or can be pulled; else the reason. */
export async function withoutImage(name: string): Promise<string | undefined> {
  if ((await run('docker', ['image', 'inspect', name], { capture: true })).ok) return undefined;
  const { ok, stderr, how } = await run('docker', ['pull', '--quiet', name], { capture: true, timeoutMs: 10 * 60_000 });
  return ok ? undefined : `image ${name} is not here and cannot be pulled: ${lastLine(stderr) || how}`;
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}
