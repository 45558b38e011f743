import { type Client, type KubeObject, createClient, getIfExists } from '@hawser/client';
import { type KonnectorInstallation, konnectorDeployment } from '@hawser/konnector-manifests';
import { type ControlPlane, describeWithControlPlane, startControlPlane } from '@hawser/testenv';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { applyKonnector, konnectorToApply } from './konnector.js';

const image = 'registry.example.com/hawser:one';
const { resource, key } = konnectorDeployment;

describeWithControlPlane('the konnector that kubectl bind installs', () => {
  let plane: ControlPlane;
  let client: Client;
  beforeAll(async () => {
    plane = await startControlPlane({ name: 'kubectl-bind' });
    client = createClient({ name: 'consumer', connection: plane.connection });
  }, 120_000);
  afterAll(async () => {
    await client.close();
    await plane.stop();
  });

  const { signal } = new AbortController();
  const install = async (installation: KonnectorInstallation): Promise<readonly string[]> => {
    const lines: string[] = [];
    const err = (line: string): void => {
      lines.push(line);
    };
    await applyKonnector(client, await konnectorToApply(client, installation, { err, signal }), signal);
    return lines;
  };
  const pod = async (): Promise<unknown> =>
    (await getIfExists<KubeObject & { spec: { template: { spec: unknown } } }>(client, resource, key))?.spec.template
      .spec;

  it('is taken by a real API server, runs another image when it is told to, and stays as it is otherwise', async () => {
    const hostAliases = [{ ip: '10.0.0.1', hostnames: ['provider.example.com'] }];
    await install({ image, hostAliases });
    expect(await pod()).toMatchObject({ containers: [{ name: 'konnector', image }], hostAliases });
    const before = (await getIfExists<KubeObject>(client, resource, key))?.metadata.resourceVersion;
    await install({ image, hostAliases });
    expect((await getIfExists<KubeObject>(client, resource, key))?.metadata.resourceVersion).toBe(before);
    await install({ image: `${image}-2` });
    expect(await pod()).toMatchObject({ containers: [{ image: `${image}-2` }] });
  });

  it('leaves one that others have installed, and says whose it is', async () => {
    const labels = { 'app.kubernetes.io/managed-by': 'Helm' };
    await client.patch(resource, key, { type: 'merge', patch: { metadata: { labels } } });
    expect(await install({ image: `${image}-3` })).toEqual([
      'Deployment kube-bind/konnector is there, managed by Helm: it is left as it is.',
    ]);
    expect(await pod()).toMatchObject({ containers: [{ image: `${image}-2` }] });
  });
});
