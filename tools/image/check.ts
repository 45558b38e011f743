import { run } from '../run.ts';

/** What is wrong with an image, as a cluster would use it: with no right but to run, and nothing to write to. */
export async function faultsOf(tag: string): Promise<readonly string[]> {
  const faults: string[] = [];
  const expect = async (what: string, args: readonly string[], wanted: RegExp): Promise<void> => {
    const { stdout, stderr, how } = await run('docker', args, { capture: true, timeoutMs: 60_000 });
    if (!wanted.test(stdout.trim())) faults.push(`${what}: ${how}: ${stdout.trim()} ${stderr.trim()}`);
  };
  const locked = ['run', '--rm', '--network=none', '--read-only', '--cap-drop=ALL', '--security-opt=no-new-privileges'];
  await expect(
    'it does not run as a user without rights',
    ['image', 'inspect', '--format', '{{.Config.User}}', tag],
    /^65532:65532$/u,
  );
  await expect('without a command it is not a konnector', [...locked, tag, '--version'], /kube-bind-v\d+\.\d+\.\d+/u);
  await expect(
    'there is no konnector where the Go konnector is',
    [...locked, '--entrypoint=/bin/konnector', tag, '--version'],
    /kube-bind-v\d+\.\d+\.\d+/u,
  );
  await expect('there is no hawser on the PATH', [...locked, '--entrypoint=hawser', tag, '--help'], /hawser run/u);
  await expect(
    'its Node is not the one that it is made for',
    [...locked, '--entrypoint=node', tag, '--version'],
    /^v24\./u,
  );
  await expect(
    'it has no bill of materials',
    [
      ...locked,
      '--entrypoint=node',
      tag,
      '-p',
      'JSON.parse(fs.readFileSync("/hawser/sbom.cdx.json", "utf8")).bomFormat',
    ],
    /^CycloneDX$/u,
  );
  return faults;
}
