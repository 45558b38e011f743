import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Outcome, must, run } from '../run.ts';
import { readJson } from '../workspace.ts';
import { user } from './file-system.ts';

/** Problems of an image, or why it cannot be tried. */
export type CheckedImage = { readonly faults: readonly string[] } | { readonly untried: string };

interface Blob {
  readonly digest: string;
  readonly platform?: { readonly architecture: string };
}

/** Runs an image as a cluster would: as its user, without rights, network or a writable place. Needs root. */
export async function checkImage(file: string): Promise<CheckedImage> {
  const work = mkdtempSync(join(tmpdir(), 'hawser-try-'));
  try {
    const rootFolder = join(work, 'root');
    await unpackImage(file, join(work, 'layout'), rootFolder);
    const start = (...command: readonly string[]): Promise<Outcome> => locked(rootFolder, command);
    const possible = await start('/usr/local/bin/node', '--version');
    if (!possible.ok && /unshare|mount|setpriv/u.test(possible.stderr)) return { untried: possible.stderr.trim() };
    const faults: string[] = [];
    const expect = async (what: string, command: readonly string[], wanted: RegExp): Promise<void> => {
      const { stdout, stderr, how } = await start(...command);
      if (!wanted.test(`${stdout.trim()}${stderr.includes('No such file') ? ' absent' : ''}`))
        faults.push(`${what}: ${how}: ${stdout.trim()} ${stderr.trim()}`);
    };
    const tried: readonly (readonly [what: string, command: readonly string[], wanted: RegExp])[] = [
      ['its Node is not the one that it is made for', ['/usr/local/bin/node', '--version'], /^v24\./u],
      ['it is not a konnector', ['/usr/local/bin/hawser-konnector', '--version'], /kube-bind-v\d+\.\d+\.\d+/u],
      ['there is no konnector where the Go one is', ['/bin/konnector', '--version'], /kube-bind-v\d+\.\d+\.\d+/u],
      ['there is no backend where the Go one is', ['/bin/backend', '--help'], /--frontend-disabled/u],
      ['there is no agent', ['/usr/local/bin/hawser-syncagent', '--help'], /--agent-name/u],
      ['there is no hawser', ['/usr/local/bin/hawser', '--help'], /hawser run/u],
      ['it cannot look names up', ['/usr/local/bin/node', '-p', lookUp], /^127\.0\.0\.1$/u],
      [
        'it does not run as a user without rights',
        ['/usr/local/bin/node', '-p', whoAmI],
        new RegExp(`^${user} 0+$`, 'u'),
      ],
      ['it can write to its files', ['/usr/local/bin/node', '-p', writing], /^EROFS$/u],
      ['it has no bill of materials', ['/usr/local/bin/node', '-p', materials], /^CycloneDX .*\bnode\b.*\blibc6\b/u],
      ['it has a shell', ['/bin/sh', '-c', 'echo shell'], /^ absent$/u],
    ];
    for (const one of tried) await expect(...one);
    const programs = ['usr/bin', 'usr/sbin', 'usr/local/bin'].flatMap((folder) =>
      readdirSync(join(rootFolder, folder)),
    );
    const foreign = programs.filter((name) => !/^(?:node|konnector|backend|hawser.*)$/u.test(name));
    if (foreign.length > 0) faults.push(`it has programs that are not its own: ${foreign.join(', ')}`);
    return { faults };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

const lookUp =
  'require("dns").lookup("127.0.0.1", (error, address) => console.log(error ?? address)), process.exitCode = 0, ""';
const whoAmI =
  'process.getuid() + " " + /CapEff:\\s*(\\w+)/.exec(require("fs").readFileSync("/proc/self/status", "utf8"))[1]';
const writing = 'try { require("fs").writeFileSync("/tmp/x", ""); "written" } catch (error) { error.code }';
const materials =
  'const sbom = JSON.parse(require("fs").readFileSync("/hawser/sbom.cdx.json", "utf8")); sbom.bomFormat + " " + sbom.components.map(({ name }) => name)';

/** Unpacks its layers for this machine, one over the other. */
async function unpackImage(file: string, layout: string, rootFolder: string): Promise<void> {
  mkdirSync(layout);
  mkdirSync(rootFolder);
  // Independent of the umask: the image's user must get in.
  chmodSync(rootFolder, 0o755);
  await must('tar', ['-xf', file, '-C', layout]);
  const blob = <T>({ digest }: Blob): T => readJson<T>(join(layout, 'blobs', digest.replace(':', '/')));
  const [index] = readJson<{ readonly manifests: readonly Blob[] }>(join(layout, 'index.json')).manifests;
  if (index === undefined) throw new Error(`${file} has no image`);
  const architecture = process.arch === 'arm64' ? 'arm64' : 'amd64';
  const manifest = blob<{ readonly manifests: readonly Blob[] }>(index).manifests.find(
    ({ platform }) => platform?.architecture === architecture,
  );
  if (manifest === undefined) throw new Error(`${file} has nothing for ${architecture}`);
  for (const { digest } of blob<{ readonly layers: readonly Blob[] }>(manifest).layers)
    await must('tar', ['-xzf', join(layout, 'blobs', digest.replace(':', '/')), '-C', rootFolder]);
}

function locked(rootFolder: string, command: readonly string[]): Promise<Outcome> {
  const script =
    'mount --bind "$1" "$1" && mount -t proc proc "$1/proc" && mount -o remount,bind,ro "$1" && place=$1 && shift && ' +
    `exec setpriv --no-new-privs unshare --root="$place" --wd=/ --setgid ${user} --setuid ${user} -- "$@"`;
  return run(
    'unshare',
    ['--mount', '--net', '--pid', '--fork', '--kill-child', 'sh', '-c', script, 'sh', rootFolder, ...command],
    {
      capture: true,
      timeoutMs: 60_000,
      env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' },
    },
  );
}
