// File systems of the image's lower layers: Node is the only program in them.
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { must } from '../run.ts';
import type { DebianPin } from './base.ts';

/** The roles' user, who owns no file. */
export const user = 65_532;

/** Libraries that Node and its name lookup load; leaves out programs, locales and debugger libraries. */
const libraries =
  /^(?:ld-linux-.*|lib(?:c|m|mvec|dl|pthread|rt|resolv|nss_dns|nss_files|util|gcc_s|stdc\+\+))\.so[.\d]*$/u;

const files: Readonly<Record<string, string>> = {
  'etc/passwd': `root:x:0:0:root:/root:/sbin/nologin\nhawser:x:${user}:${user}:hawser:/:/sbin/nologin\n`,
  'etc/group': `root:x:0:\nhawser:x:${user}:\n`,
  'etc/nsswitch.conf': 'hosts: files dns\n',
};

/** A path in `folder`; creates its parents. */
export function pathIn(folder: string): (path: string) => string {
  return (path) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    return join(folder, path);
  };
}

/** Lays out the needed files of Debian's packages. */
export async function layOutSystem(
  packages: readonly { readonly pin: DebianPin; readonly file: string }[],
  folder: string,
): Promise<void> {
  const at = pathIn(folder);
  for (const name of ['bin', 'lib', 'lib64', 'sbin']) {
    mkdirSync(join(folder, 'usr', name), { recursive: true });
    symlinkSync(`usr/${name}`, join(folder, name));
  }
  // Mount points that a cluster uses in each container.
  for (const name of ['dev', 'proc', 'sys', 'tmp', 'run']) mkdirSync(join(folder, name));
  for (const [path, content] of Object.entries(files)) writeFileSync(at(path), content);
  for (const { pin, file } of packages)
    await unpacked(file, (from) => {
      for (const path of globSync('{lib,lib64,usr/lib}/{,*/}*', { cwd: from }))
        if (libraries.test(path.split('/').at(-1) ?? '')) copyEntry(join(from, path), at(path));
      for (const path of globSync(['usr/lib/os-release', 'etc/debian_version', 'usr/share/common-licenses/*'], {
        cwd: from,
      }))
        copyEntry(join(from, path), at(path));
      const copyright = join(from, 'usr/share/doc', pin.name, 'copyright');
      if (existsSync(copyright)) copyFileSync(copyright, at(`usr/share/doc/${pin.name}/copyright`));
      // The place where scanners look in an image without dpkg.
      copyFileSync(join(from, 'DEBIAN/control'), at(`var/lib/dpkg/status.d/${pin.name}`));
    });
  symlinkSync('../usr/lib/os-release', at('etc/os-release'));
  settle(folder);
}

/** Lays out Node from npm's package. */
export async function layOutNode(tarball: string, folder: string): Promise<void> {
  const at = pathIn(folder);
  const work = mkdtempSync(join(tmpdir(), 'hawser-node-'));
  try {
    await must('tar', ['-xzf', tarball, '-C', work, '--strip-components=1', 'package/bin/node', 'package/LICENSE']);
    copyFileSync(join(work, 'bin/node'), at('usr/local/bin/node'));
    copyFileSync(join(work, 'LICENSE'), at('usr/share/doc/nodejs/LICENSE'));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  chmodSync(join(folder, 'usr/local/bin/node'), 0o755);
  settle(folder);
}

/** Fixed permissions, independent of the builder's umask: executables stay executable, and all can read. */
export function settle(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isSymbolicLink()) continue;
    if (path === join(folder, 'tmp')) chmodSync(path, 0o1777);
    else chmodSync(path, entry.isDirectory() || (lstatSync(path).mode & 0o100) !== 0 ? 0o755 : 0o644);
  }
}

async function unpacked(file: string, use: (folder: string) => void): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'hawser-deb-'));
  try {
    await must('dpkg-deb', ['--raw-extract', file, join(work, 'package')], { timeoutMs: 2 * 60_000 });
    use(join(work, 'package'));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function copyEntry(from: string, to: string): void {
  cpSync(from, to, { verbatimSymlinks: true });
}

/**
 * The licence of the running Node, which goes with each copy of it.
 * @throws Error if it is not beside Node
 */
export function licenceOfNode(): string {
  const here = dirname(process.execPath);
  const [found] = globSync(['../LICENSE', '../node_modules/node-*/LICENSE'], { cwd: here });
  if (found === undefined) throw new Error(`Node has no LICENSE beside it, in ${dirname(here)}`);
  return readFileSync(join(here, found), 'utf8');
}
