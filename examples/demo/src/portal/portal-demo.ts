import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KubeObject } from '@hawser/client';
import { ensure } from '@hawser/installation';
import { type CustomResourceDefinition, fixedNames, resources } from '@hawser/kube-bind';
import { freePort } from '@hawser/testenv';
import { stringify } from 'yaml';
import type { Cluster } from '../cluster.js';
import type { Opening } from '../clusters.js';
import { DemoError } from '../demo-error.js';
import { startEmbedded } from '../embedded.js';
import { names } from '../names.js';
import { prepareConsumer } from '../story.js';
import type { Side, Timeline } from '../timeline.js';
import { type Applied, applyAnswer } from './apply-answer.js';
import { type Offer, offers, portalNamespace, prepareOffers, resourceOf } from './offered.js';
import { type Terminal, openTerminal } from './terminal.js';
import { Visitor } from './visitor.js';
import { portalAnswers } from './portal-answers.js';

export interface PortalScene {
  readonly timeline: Timeline;
  readonly signal: AbortSignal;
  readonly folder: string;
  /** Without a person: the demo walks through the pages itself. */
  readonly once: boolean;
  readonly openings: Opening[];
  readonly own: (close: () => Promise<void>) => void;
  readonly startRole: (
    name: string,
    command: readonly ['hawser' | 'hawser-konnector', ...string[]],
    env: Readonly<Record<string, string>>,
  ) => void;
}

/** Shows the way from a sign-in on a provider's pages to the first synced object. Resolves when it was seen. */
export async function showPortal(scene: PortalScene): Promise<void> {
  const { timeline, signal, folder, openings, own, once } = scene;
  const open = (side: Side): Promise<Cluster> => {
    const opening = startEmbedded(side, { folder, signal });
    openings.push(opening);
    return opening.cluster;
  };
  const [provider, consumer] = await Promise.all([open('provider'), open('consumer')]);
  timeline.seen(undefined, 'two API servers are ready: a provider and a consumer');
  const [url] = await Promise.all([provide(provider, scene), consume(consumer, scene)]);
  timeline.seen('provider', `${offers.length} templates, and a portal at ${url}`);

  const { metadata } = await consumer.client.get<KubeObject>(resources.namespaces, { name: 'kube-system' });
  const terminal = await openTerminal(url, metadata.uid ?? '');
  own(() => terminal.close());
  if (once) await agreeByItself(terminal, timeline);
  else invite(terminal, timeline);
  const answer = await Promise.race([terminal.answer, ended(signal)]);
  timeline.seen(undefined, 'the portal has answered: a kubeconfig for this consumer, and what to ask for');

  const asked = performance.now();
  const applied = await applyAnswer(consumer, answer);
  timeline.doing('consumer', `APIServiceBinding ${applied.name} and its Secret are created`);
  await firstObject(consumer, provider, applied, asked, timeline);
}

/** The provider role with its portal, as a process. Resolves to the portal's URL once it answers. */
async function provide(provider: Cluster, { startRole, own, folder, signal }: PortalScene): Promise<string> {
  const operators = await prepareOffers(provider, signal);
  own(() => operators.close());
  const [port, issuerPort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const config = join(folder, 'provider.yaml');
  await writeFile(
    config,
    stringify({
      roles: ['provider'],
      provider: {
        kubeconfig: provider.kubeconfigFile,
        requestAdmission: 'Template',
        prettyName: 'Demo provider',
        portal: {
          address: `127.0.0.1:${port}`,
          publicUrl: url,
          namespace: portalNamespace,
          issuer: { type: 'embedded', url: `http://127.0.0.1:${issuerPort}` },
        },
      },
    }),
  );
  startRole('provider', ['hawser', 'run', '--config', config], {
    POD_NAME: 'demo',
    POD_NAMESPACE: portalNamespace,
  });
  await portalAnswers(url, signal);
  return url;
}

async function consume(consumer: Cluster, { startRole, signal }: PortalScene): Promise<void> {
  await prepareConsumer(consumer, signal);
  startRole(
    'konnector',
    ['hawser-konnector', '--kubeconfig', consumer.kubeconfigFile, '--lease-namespace', fixedNames.konnectorNamespace],
    { POD_NAME: 'demo' },
  );
}

function invite({ start }: Terminal, timeline: Timeline): void {
  timeline.plain(`
Open this page in a browser on this machine:

  ${start.href}

Sign in as Ada, who may bind databases, or as Grace, who may bind caches and operates the provider.
Choose an API, read what each side agrees to, and agree. The demo waits for that, and goes on here.
Ctrl-C ends it.
`);
}

/** A person's steps in a browser. */
async function agreeByItself({ start }: Terminal, timeline: Timeline): Promise<void> {
  const visitor = new Visitor();
  const [offer] = offers;
  if (offer === undefined) throw new DemoError('failed', 'nothing is offered');
  const { plural } = offer.api;
  const people = await visitor.follow(await visitor.open(start), '/api/authorize');
  timeline.seen(undefined, 'the page of the portal leads to the embedded identity provider');
  const catalogue = await visitor.press(people, 'Sign in as Ada');
  requireText(catalogue.text, `/templates/${plural}`, `the catalogue has no ${plural}`);
  timeline.seen(undefined, `Ada is signed in, and sees ${plural} in the catalogue`);
  const consent = await visitor.follow(catalogue, `/templates/${plural}`);
  requireText(
    consent.text,
    'What the provider may do in your cluster',
    'the page does not say what both sides agree to',
  );
  timeline.seen(undefined, 'its page says what each side agrees to');
  await visitor.press(consent, 'Agree and bind');
  timeline.seen(undefined, 'Ada agrees');
}

function requireText(text: string, wanted: string, otherwise: string): void {
  if (!text.includes(wanted)) throw new DemoError('failed', otherwise);
}

async function firstObject(
  consumer: Cluster,
  provider: Cluster,
  applied: Applied,
  asked: number,
  timeline: Timeline,
): Promise<void> {
  const { api } = offerOf(applied);
  const resource = resourceOf(api);
  const crd = `${api.plural}.${api.group}`;
  const established = await consumer.seen<CustomResourceDefinition>(
    resources.customResourceDefinitions,
    { name: crd },
    `the CRD ${crd}`,
    ({ status }) =>
      status?.conditions?.some(({ type, status: is }) => type === 'Established' && is === 'True') ?? false,
  );
  await consumer.served(resource);
  timeline.seen('consumer', `CRD ${crd} is there`, established.at - asked);
  const key = { namespace: names.userNamespace, name: 'orders' };
  await ensure(consumer.client, resource, {
    apiVersion: `${api.group}/v1`,
    kind: api.kind,
    metadata: key,
    spec: { size: 'small' },
  } as KubeObject);
  const created = performance.now();
  timeline.doing('consumer', `${api.kind} ${key.namespace}/${key.name} is created`);
  const theirs = { namespace: `${applied.clusterNamespace}-${key.namespace}`, name: key.name };
  const copy = await provider.seen(resource, theirs, `the copy of ${key.name}`);
  timeline.seen('provider', `${api.kind} ${theirs.namespace}/${theirs.name} is there`, copy.at - created);
  const ready = await consumer.seen(
    resource,
    key,
    'the status',
    ({ status }) => (status as { readonly phase?: string } | undefined)?.phase === 'Ready',
  );
  timeline.seen('consumer', 'status is here: Ready', ready.at - created);
}

function offerOf({ api }: Applied): Offer {
  const offer = offers.find(({ api: { plural } }) => plural === api);
  if (offer === undefined) throw new DemoError('failed', `the portal answered with ${api}, which nobody offers`);
  return offer;
}

function ended(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const end = (): void => {
      reject(signal.reason instanceof Error ? signal.reason : new DemoError('failed', 'interrupted'));
    };
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}
