import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { databases } from '@hawser/installation';
import { type APIServiceBinding, catalogueGroup, klutchDialect } from '@hawser/klutch';
import { resources as kubernetes } from '@hawser/kube-bind';
import { parseSecretKubeconfig } from '@hawser/kubeconfig';
import { eventually } from '@hawser/testenv';
import { afterAll, beforeAll, expect, it as jestIt } from '@jest/globals';
import { Browser } from '../../packages/provider/portal/src/testing/browser.js';
import { formTokenOf } from '../../packages/provider/portal/src/testing/lab.js';
import { openTerminal } from '../../packages/provider/portal/src/testing/terminal.js';
import { type Ended, runCommand } from './command.js';
import { LONG, objectOf, resourceOf } from './copies.js';
import { describeKlutchWorld } from './klutch-suite.js';
import { type KlutchTenant, openKlutchTenant } from './klutch-tenant.js';
import { klutchApi } from './klutch-world.js';
import { executables } from './roles.js';

const crd = `${databases.plural}.${databases.group}`;
const program = process.env['HAWSER_KLUTCH_KUBECTL_BIND'] ?? '';
const isThere = existsSync(program);
if (!isThere)
  jestIt.skip('kubectl bind of Klutch at our portal: HAWSER_KLUTCH_KUBECTL_BIND names no program', () => undefined);

describeKlutchWorld('the way in of Klutch', { name: 'klutch-portal', portal: true }, (world, it) => {
  let tenant: KlutchTenant;
  /** The kubeconfig that the terminal of jane got. */
  let signedIn: string;

  beforeAll(async () => {
    // The person may bind; consumers may request what was bound for them, and have no right of their own.
    await world().plane.apply(
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: { name: 'may-bind' },
        rules: [{ apiGroups: [catalogueGroup], resources: ['apiserviceexporttemplates'], verbs: ['bind'] }],
      },
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name: 'may-bind' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'may-bind' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'jane' }],
      },
    );
    const { url } = portal();
    await eventually(async () => {
      expect((await new Browser().request(`${url}/healthz`)).text).toBe('ok');
    }, LONG);
    signedIn = await signIn();
    const read = parseSecretKubeconfig(Buffer.from(signedIn));
    if (!read.ok) throw new Error(JSON.stringify(read.problems));
    const { namespace: clusterNamespace, connection } = read;
    tenant = await openKlutchTenant(world(), { clusterNamespace, kubeconfig: signedIn, connection });
  }, 240_000);
  afterAll(() => tenant.close(), 60_000);

  const portal = () => {
    const { portal: opened } = world();
    if (opened === undefined) throw new Error('there is no portal');
    return opened;
  };
  /** What a person does in the browser that a terminal has opened; the address to which the browser is sent then. */
  const agree = async (address: string): Promise<string> => {
    const browser = new Browser();
    const page = await browser.follow(address);
    const path = /action="(\/bind[^"]+)"/u.exec(page.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const { status, location, text } = await browser.request(`${portal().url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: portal().url },
      body: new URLSearchParams({
        form_token: formTokenOf(page.text),
        template: `default/${databases.plural}`,
      }).toString(),
    });
    if (status !== 303) throw new Error(`${status} ${text}`);
    return location;
  };
  /** With a server in the place of the terminal's. */
  const signIn = async (): Promise<string> => {
    const terminal = await openTerminal();
    const query = new URLSearchParams({ u: terminal.callback, s: 'a1B2c3', c: 'Shop01' });
    await new Browser().request(await agree(`${portal().url}/authorize?${query.toString()}`));
    terminal.close();
    const { kubeconfig } = JSON.parse(
      Buffer.from(terminal.answers[0]?.searchParams.get('response') ?? '', 'base64').toString(),
    ) as { kubeconfig: string };
    return Buffer.from(kubeconfig, 'base64').toString();
  };
  const inStep = async (namespace: string): Promise<void> => {
    await tenant.plane.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await eventually(() => tenant.plane.apply(objectOf(databases, { namespace, name: 'orders' })), LONG);
    await eventually(async () => {
      const { items } = await world().plane.client.list(resourceOf(databases));
      expect(items.map(({ metadata }) => metadata.namespace)).toContainEqual(expect.stringMatching(`-${namespace}$`));
    }, LONG);
  };

  it('brings a person from the sign-in to the first object in step, without an operator', async () => {
    const handedOut = join(world().folder, 'signed-in.kubeconfig');
    writeFileSync(handedOut, signedIn, { mode: 0o600 });
    const bound: Ended = await runCommand(executables.hawser, [
      'bind',
      `--provider-kubeconfig=${handedOut}`,
      `--resource=${crd}`,
      '--claims=accept',
      `--kubeconfig=${tenant.plane.kubeconfigFile}`,
    ]);
    expect(bound).toMatchObject({ code: 0 });
    await inStep('team-a');
    const secret = /token: "?([^"\s]+)/u.exec(signedIn)?.[1] ?? 'none';
    expect(world().provider.log()).not.toContain(secret);
    expect(world().provider.log()).toContain('handed out a kubeconfig');
  });

  it('lets the consumer request nothing that nobody has bound for it', async () => {
    await world().plane.apply({
      apiVersion: `${catalogueGroup}/v1alpha1`,
      kind: 'APIServiceExportTemplate',
      metadata: { name: 'others' },
      spec: { APIServiceSelector: { group: databases.group, resource: 'others' } },
    });
    const { items } = await world().plane.client.list(kubernetes.namespaces);
    const namespace =
      items.find(({ metadata }) => metadata.annotations?.['hawser.dev/owner-subject'] === 'jane')?.metadata.name ?? '';
    const key = { namespace, name: 'others' };
    await world().plane.apply({
      apiVersion: klutchDialect.apiVersion,
      kind: 'APIServiceExportRequest',
      metadata: key,
      spec: { resources: [{ group: databases.group, resource: 'others' }] },
    });
    await eventually(async () => {
      expect(JSON.stringify(await world().plane.find(klutchDialect.resources.apiServiceExportRequests, key))).toContain(
        'BindForbidden',
      );
    }, LONG);
    expect(
      (await world().look(`${klutchApi}/namespaces/${namespace}/apiserviceexports/others.${databases.group}`)).status,
    ).toBe(404);
  });

  if (isThere)
    it('serves an unmodified kubectl bind of Klutch', async () => {
      const { apiServiceBindings } = klutchDialect.resources;
      await tenant.plane.client.delete(apiServiceBindings, { name: crd });
      await eventually(async () => {
        expect(await tenant.plane.find(apiServiceBindings, { name: crd })).toBeUndefined();
      }, LONG);
      const args = [`${portal().url}/export`, '--skip-konnector', `--kubeconfig=${tenant.plane.kubeconfigFile}`];
      const terminal = spawn(program, args, {
        stdio: 'pipe',
        env: { PATH: process.env['PATH'] ?? '', HOME: world().folder },
      });
      let output = '';
      terminal.stdout.on('data', (data: Buffer) => (output += data.toString()));
      terminal.stderr.on('data', (data: Buffer) => (output += data.toString()));
      const ended = new Promise<number | null>((resolve) => terminal.once('exit', resolve));
      await eventually(() => {
        expect(output).toMatch(/http\S+\/authorize\?\S+/u);
      }, LONG);
      await new Browser().request(await agree(/http\S+\/authorize\?\S+/u.exec(output)?.[0] ?? ''));
      terminal.stdin.end('y\ny\ny\n');
      if ((await ended) !== 0) throw new Error(output);
      await eventually(async () => {
        const binding = await tenant.plane.find<APIServiceBinding>(apiServiceBindings, { name: crd });
        expect(binding?.status?.conditions).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'True' }));
      }, LONG);
      await inStep('team-b');
    });
});
