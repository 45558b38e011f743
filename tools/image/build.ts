import { run } from '../run.ts';
import { root } from '../workspace.ts';
import { stageImage } from './stage.ts';

/** What the Dockerfile names; another one may be given by `HAWSER_BASE_IMAGE`. */
export const defaultBase = 'node:24-bookworm-slim';

export interface BuildImageOptions {
  /** Default `hawser:<version>`. */
  readonly tag?: string;
  readonly base?: string;
}

/** The image that was built, or why there is nothing to build it with. */
export type BuiltImage = { readonly tag: string } | { readonly missing: string };

/** Why there is no Docker to be had, or undefined if there is. */
export async function withoutDocker(): Promise<string | undefined> {
  const { ok, stderr, how } = await run('docker', ['version', '--format', '{{.Server.Version}}'], {
    capture: true,
    timeoutMs: 20_000,
  });
  return ok ? undefined : `there is no Docker: ${lastLine(stderr) || how}`;
}

/** Whether the image is there or can be pulled; else why not. */
export async function withoutImage(name: string): Promise<string | undefined> {
  if ((await run('docker', ['image', 'inspect', name], { capture: true })).ok) return undefined;
  const { ok, stderr, how } = await run('docker', ['pull', '--quiet', name], { capture: true, timeoutMs: 10 * 60_000 });
  return ok ? undefined : `image ${name} is not here and cannot be pulled: ${lastLine(stderr) || how}`;
}

/**
 * Builds the image from the built supervisor.
 * @throws Error when the supervisor is not built, or Docker and the base image are there and the build fails all the same.
 */
export async function buildImage({
  tag,
  base = process.env['HAWSER_BASE_IMAGE'] ?? defaultBase,
}: BuildImageOptions = {}): Promise<BuiltImage> {
  const version = stageImage();
  const missing = (await withoutDocker()) ?? (await withoutImage(base));
  if (missing !== undefined) return { missing };
  const name = tag ?? `hawser:${version}`;
  const { ok, how, stdout, stderr } = await run(
    'docker',
    [
      'build',
      '--build-arg',
      `BASE=${base}`,
      '--label',
      `org.opencontainers.image.version=${version}`,
      '--tag',
      name,
      root,
    ],
    { capture: true, timeoutMs: 10 * 60_000 },
  );
  if (!ok) throw new Error(`docker build: ${how}\n${stdout}${stderr}`);
  return { tag: name };
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}
