import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@hawser/client';
import { fixedNames, resources } from '@hawser/kube-bind';
import { describeWithControlPlane, uniqueNamespace } from '@hawser/testenv';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { Browser } from '../../../packages/provider/portal/src/testing/browser.js';
import { Lab, formTokenOf } from '../../../packages/provider/portal/src/testing/lab.js';
import { type ProofSource, proven } from './cluster-proof.js';
import { PortalApi } from './portal-api.js';

const konnector: ProofSource = { kind: 'account', namespace: fixedNames.konnectorNamespace, name: 'konnector' };

describeWithControlPlane('a provider that takes a cluster on by a token of its own alone', () => {
  let lab: Lab;
  let folder: string;
  let identity: string;
  let portal: PortalApi;
  let output: string[];

  beforeAll(async () => {
    lab = await Lab.open();
    folder = mkdtempSync(join(tmpdir(), 'hawser-proof-'));
    await lab.create('Namespace', 'namespaces', fixedNames.konnectorNamespace);
    // The control plane of the lab stands for the consumer cluster, too.
    await lab.cluster.client.create(resources.serviceAccounts, {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { namespace: fixedNames.konnectorNamespace, name: 'konnector' },
    });
  });
  afterAll(async () => {
    await lab.close();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    await lab.begin();
    identity = uniqueNamespace('own');
    output = [];
    const jwks = (await lab.cluster.client.raw('GET', '/openid/v1/jwks')) as { readonly keys: readonly object[] };
    const serviceAccount = 'kube-bind/konnector';
    await lab.start({ clusterIssuers: [{ identity, issuer: 'https://kubernetes.default.svc', jwks, serviceAccount }] });
    const { location } = await new Browser().follow(
      lab.authorize({ client_type: 'cli', redirect_url: 'http://127.0.0.1:39999/callback' }),
      (at) => at.port === '39999',
    );
    const token = new URL(location).searchParams.get('access_token') ?? '';
    portal = new PortalApi({ url: lab.url, token });
  });
  afterEach(async () => {
    await portal.close();
    await lab.end();
  });

  const err = (text: string): void => {
    output.push(text);
  };
  const options = (source: ProofSource, portalUrl = lab.url, client = lab.cluster.client) => ({
    client,
    source,
    portalUrl,
    terminal: { err, signal: new AbortController().signal },
  });
  const bind = (source: ProofSource, portalUrl = lab.url) =>
    proven((token) => portal.bind({ name: 'db', template: 'databases', identity }, token), options(source, portalUrl));
  const brought = async (): Promise<number> =>
    (await lab.cluster.client.list(resources.bindableResourcesRequests, { namespace: lab.namespace })).items.length;

  it('gets one that is made for its address, once it has asked, and says so', async () => {
    const { kubeconfig } = await bind(konnector);
    expect(kubeconfig).toContain('current-context');
    expect(output).toEqual([
      `The provider wants a token of this cluster. One of ServiceAccount kube-bind/konnector is made for ${lab.url} and ten minutes.`,
    ]);
    expect(await brought()).toBe(1);
    output = [];
    await bind(konnector);
    expect(output).toEqual([]);
  });

  it('gets it with the code of its pages', async () => {
    const jane = await lab.signIn();
    const flow = new URLSearchParams({
      redirect_url: 'http://127.0.0.1:39999/callback',
      session_id: 'mine',
      consumer_id: identity,
      answer: 'code',
    });
    const path = `/templates/databases?${flow.toString()}`;
    const page = await jane.request(`${lab.url}${path}`);
    const { location } = await lab.send(jane, path, { form_token: formTokenOf(page.text), name: 'db' });
    const code = new URL(location).searchParams.get('bundle_code') ?? '';
    expect(await brought()).toBe(0);
    const bundle = await proven((token) => portal.bundle(code, token), options(konnector));
    expect(bundle).toContain('kind: APIServiceBinding');
    expect(await brought()).toBe(1);
  });

  it('gets the one in a file, and none that is not there, or for another portal', async () => {
    const file = join(folder, 'token');
    const source: ProofSource = { kind: 'file', file };
    await expect(bind(source)).rejects.toThrow('cannot be read');
    writeFileSync(file, 'two\nlines');
    await expect(bind(source)).rejects.toThrow('holds no token');
    const request = (audience: string) =>
      lab.cluster.client.create<{
        metadata: { name: string };
        apiVersion: string;
        kind: string;
        status?: { token: string };
      }>(
        resources.serviceAccounts,
        {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenRequest',
          metadata: { namespace: fixedNames.konnectorNamespace, name: 'konnector' },
          spec: { audiences: [audience], expirationSeconds: 600 },
        } as never,
        { subresource: 'token' },
      );
    writeFileSync(file, (await request('https://other.example.com')).status?.token ?? '');
    await expect(bind(source)).rejects.toThrow(`It is not for the audience ${lab.url}`);
    writeFileSync(file, `${(await request(lab.url)).status?.token ?? ''}\n`);
    expect((await bind(source)).kubeconfig).not.toBe('');
  });

  it('gets none where the person has no right to make one, nor where it could be read on the way', async () => {
    await expect(bind({ ...konnector, name: 'nobody' })).rejects.toThrow(
      'ServiceAccount kube-bind/nobody is not on this cluster.',
    );
    await expect(bind(konnector, 'http://portal.example.com')).rejects.toThrow('is not encrypted');
    const { connection } = lab.cluster.plane;
    const powerless = await lab.cluster.client.raw(
      'POST',
      '/api/v1/namespaces/kube-bind/serviceaccounts/konnector/token',
      { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
    );
    const { token } = (powerless as { readonly status: { readonly token: string } }).status;
    const client = createClient({
      name: 'powerless',
      connection: { ...connection, credentials: { kind: 'token', token } },
    });
    try {
      const ask = (clusterToken?: string) => portal.bind({ name: 'db', template: 'databases', identity }, clusterToken);
      await expect(proven(ask, options(konnector, lab.url, client))).rejects.toThrow('--cluster-token-file FILE');
    } finally {
      await client.close();
    }
    expect(await brought()).toBe(0);
  });
});
